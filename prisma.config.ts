/** Read by the `prisma` command of libs/database. */
export default { schema: 'prisma', migrations: { path: 'prisma/migrations' } };
