/** The first bytes of messages with SQL: simple query, parse and bind. A start-up or a password has another. */
const statementTypes = Buffer.from('QPB');

/** Whether a client sends Postgres a statement, and not the start-up of a connection. */
export const isStatement = (request: Buffer): boolean => statementTypes.includes(request[0] ?? 0);

export const isCommit = (request: Buffer): boolean => isStatement(request) && request.includes('COMMIT\0');
