import { DataFolder } from './data-folder.js';
import { findServer } from './pid-file.js';

/** The url of the server that runs on a data folder; `undefined` when none does. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const folder = new DataFolder(dataDir, {});
  if (!folder.initialised || (await findServer(folder.cluster, folder.pidFile)) === undefined)
    return undefined;
  const port = await folder.lastPort();
  return port === undefined ? undefined : folder.urlOn(port);
}
