# The image of the service: docker build --tag care-scheduling .

# The version of Node is that of devDependencies.node in package.json (test/ops/compose.e2e-spec.ts compares them). The slim
# image has no compilers.
FROM node:26.10.0-trixie-slim AS base
# The key store of an installation with encryption. An empty volume that is mounted here gets this owner and mode.
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/care-scheduling/keys
# All files here belong to root, so the service cannot change its own code.
WORKDIR /app
# "npm ci" needs only these two files. Its layer stays cached until one of them changes.
COPY package.json package-lock.json ./

# The packages of production, without those of development.
FROM base AS dependencies
# Installs the versions of the lock file and checks their checksums. No script of a package is run.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# Builds dist. The final image has none of the tools of this stage.
FROM base AS build
# Installs the compiler too. Scripts are off, because "prepare" would build before the sources are copied.
RUN npm ci --ignore-scripts --no-audit --no-fund
# The sources and the configuration of the compilers. Tests are excluded by .dockerignore.
COPY nest-cli.json .swcrc tsconfig.json mikro-orm.config.ts rolldown.config.mjs ./
# A second COPY, because COPY with several sources would copy the content of the folder instead of the folder.
COPY src ./src
# Uses the Node of the base image. The package "node" is incomplete, because its install script has not run.
RUN node node_modules/@nestjs/cli/bin/nest.js build
# Bundles the modules of the service and of its libraries, which halves the time of a start.
RUN node node_modules/rolldown/bin/cli.mjs --config --logLevel warn
# Builds the files of the console for the browser.
RUN node node_modules/vite/bin/vite.js build src/console/web

# The cache of compiled code. The account of the image writes it here and cannot change it later.
RUN install --directory --owner=node dist/compile-cache
# Node ignores a cache that another account has written.
USER node
# A start fills the cache, which makes later starts a fifth faster. It must fail, because there is no database.
RUN ! ENCRYPTION=off DATABASE_URL=postgresql://127.0.0.1:1/none JWT_JWKS_URL=https://127.0.0.1:1/ JWT_ISSUER=none JWT_AUDIENCE=none node dist/src/main.js
# The account of the image cannot give files to root.
USER root
# The final stage keeps the owner of the files that it copies.
RUN chown --recursive root: dist/compile-cache

# The final image. It only copies files, so its layers contain no caches and no tools of a build.
FROM base
# Some libraries check and log less in production.
ENV NODE_ENV=production
# The default, 127.0.0.1, cannot be reached from outside of the container.
ENV HOST=0.0.0.0
# Packages first, because they change less often than the code.
COPY --from=dependencies /app/node_modules ./node_modules
# The service and its commands (migrate, token, backup, restore …).
COPY --from=build /app/dist ./dist
# The account of the base image without privileges. It can write to /tmp and to the key store only.
USER node
# The default of PORT, as documentation. The operator publishes the port.
EXPOSE 3000
# The service is ready if the database and the reminder queue answer. Node sends the request, because the image has no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`); process.exit(ok ? 0 : 1)"]
# On SIGTERM, the service finishes its requests and ends within the 10 s that "docker stop" waits.
STOPSIGNAL SIGTERM
# The list form starts node as process 1 without a shell, so that it gets the signal. "npm start" would build first.
CMD ["node", "--max-semi-space-size=16", "dist/src/main.js"]
