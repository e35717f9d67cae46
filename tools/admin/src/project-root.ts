import { fileURLToPath } from 'node:url';

/** In this folder, because a built file is as far from the root as the files of `src`. */
export const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));
