/** Asked every few seconds by whoever watches the process. */
export const healthPaths: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);
