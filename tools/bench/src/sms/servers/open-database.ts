import { Database } from '@gangan/database';

/** With the default pool size of the apps. */
export const openDatabase = (url: string): Database => new Database({ url, poolSize: 6 });
