/** The version of this release, that of package.json. */
export const RELEASE = '0.1.0';
