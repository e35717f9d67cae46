/** The documentation of the project. Its path is right in the source and in a bundle, because this file is directly in `src`. */
export const docsFolder = new URL('../../../docs/', import.meta.url);
