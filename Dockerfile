# The image of the service: docker build --tag care-scheduling .

# Node of exactly package.json's devDependencies.node (test/ops/compose.e2e-spec.ts keeps them together), without compilers.
FROM node:26.10.0-trixie-slim AS base
# The key store of an installation with encryption. An empty volume that is mounted here takes on this owner and mode.
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/care-scheduling/keys
# Everything lies here, owned by root: the service cannot change its own code.
WORKDIR /app
# The two files that decide which packages come: as long as they stay, so does the cached layer of "npm ci".
COPY package.json package-lock.json ./

# What production needs, and nothing else.
FROM base AS dependencies
# Exactly the lock file, checked against its checksums. Nothing that a package brings is executed while it installs.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# Makes dist; none of its tools get any further.
FROM base AS build
# With the compiler. "prepare" would build before the sources are there: scripts stay off here, too.
RUN npm ci --ignore-scripts --no-audit --no-fund
# The sources (.dockerignore leaves in what is listed there, and no tests), and how to compile them.
COPY nest-cli.json .swcrc tsconfig.json mikro-orm.config.ts rolldown.config.mjs ./
# On their own, as COPY would pour a folder's content out among the files above.
COPY src ./src
# The base's Node, not the package "node" that npm scripts run on: its install script has not run.
RUN node node_modules/@nestjs/cli/bin/nest.js build
# Joins the modules of the service and of its libraries, so that it starts in half the time.
RUN node node_modules/rolldown/bin/cli.mjs --config --logLevel warn
# The files of the console, for the browser, into dist beside its module.
RUN node node_modules/vite/bin/vite.js build src/console/web

# A directory of compiled code, which the account of the image fills and then cannot change.
RUN install --directory --owner=node dist/compile-cache
# Node reads only what the same account has compiled.
USER node
# Compiles the code ahead, so that a start takes a fifth less time. This start has to end because there is no database.
RUN ! ENCRYPTION=off DATABASE_URL=postgresql://127.0.0.1:1/none JWT_JWKS_URL=https://127.0.0.1:1/ JWT_ISSUER=none JWT_AUDIENCE=none node dist/src/main.js
# The final stage keeps the owner of what it copies.
USER root
# The result, which belongs to root like everything else.
RUN chown --recursive root: dist/compile-cache

# The image itself: only copies, so there is no cache and no tool of a build in any of its layers.
FROM base
# Libraries leave out what is for development.
ENV NODE_ENV=production
# The default, 127.0.0.1, could not be reached from outside of the container.
ENV HOST=0.0.0.0
# Packages before code, since they change less often.
COPY --from=dependencies /app/node_modules ./node_modules
# Code of this release: the service, and its commands (migrate, token, backup, restore …).
COPY --from=build /app/dist ./dist
# The base image's account without privileges. It may write to /tmp, which the service does not need, and to the key store.
USER node
# Where it listens (PORT). Tells people and tools; the operator publishes the port.
EXPOSE 3000
# Ready means that database and reminder queue answer; PORT as the service reads it. The image has no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`); process.exit(ok ? 0 : 1)"]
# What the service drains on: it ends within the 10 s that "docker stop" gives.
STOPSIGNAL SIGTERM
# As a list: no shell in between, so node is process 1 and gets the signal. Not npm start, which builds first.
CMD ["node", "--max-semi-space-size=16", "dist/src/main.js"]
