/** Stands for any id where one is shown. */
export const exampleId = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
