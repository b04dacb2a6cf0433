// Prints one line and exits with code 1 if Node is too old for the scripts in package.json. Written in CommonJS without
// types, so that any version of Node can run it. The service has the same check in src/shared/config/supported-node.ts.
const { node } = process.versions;

if (Number.parseInt(node) < 26) {
  process.stderr.write(
    `Node 26 or newer is needed, this is ${node}. ` +
      'Run "npm install" first; npm scripts then use the Node that the project installs.\n',
  );
  process.exit(1);
}
