/**
 * What a database role needs to send and to receive jobs. Jobs are sealed, so all apps share the tables. Without CREATE
 * on the schema no app can replace its functions.
 */
export const queueGrants = (role: string): string[] => [
  `GRANT USAGE ON SCHEMA bullmq TO ${role};`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bullmq TO ${role};`,
  `REVOKE INSERT, UPDATE, DELETE ON bullmq.migration FROM ${role};`,
  `GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO ${role};`,
];
