/** The default pool size of the apps. */
export const databasePool = 6;
