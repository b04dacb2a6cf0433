/** The oldest major version of Node that runs the service: the first with `Temporal`. */
const MIN_NODE_MAJOR = 26;

/**
 * Explains in one line that a version of Node is too old.
 *
 * @param version such as `20.19.0`
 * @returns undefined if the version is new enough
 */
export function describeUnsupportedNode(version: string): string | undefined {
  if (Number.parseInt(version) >= MIN_NODE_MAJOR) return undefined;
  return (
    `Node ${MIN_NODE_MAJOR} or newer is needed, this is ${version}. ` +
    'Run "npm install" first; npm scripts then use the Node that the project installs.'
  );
}

/**
 * Exits with code 1 if the Node version is too old. Entry points must call this before they import anything else
 * dynamically: static imports are evaluated first, and would fail with a syntax error or a stack trace.
 */
export function requireSupportedNode(): void {
  const message = describeUnsupportedNode(process.versions.node);
  if (message === undefined) return;
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
