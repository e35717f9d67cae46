/** Only the browser bundle of this package is used, and that contains its dependencies. */
const bundled = '@scalar/api-reference';

export const hooks = {
  readPackage: (manifest) => (manifest.name === bundled ? { ...manifest, dependencies: {} } : manifest),
};
