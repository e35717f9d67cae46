import { Database, sql, statement, t } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

/** The first bytes of a sealed secret are the id of its key. */
const inspectSecrets = statement(
  { plain: t.int, unopenable: t.int },
  (openableIds: readonly Buffer[]) => sql`
    SELECT count(*) FILTER (WHERE sealed_secret IS NULL)::int AS plain,
      count(*) FILTER (WHERE substring(sealed_secret FOR 4) <> ALL (${openableIds}::bytea[])
        AND (retires_at IS NULL OR retires_at > now()))::int AS unopenable
    FROM callback_secret`,
);

/** Logs at the start which secrets are not sealed, or not with a key of this process. */
@Injectable()
export class StoredSecrets implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly sealer: DataSealer,
    private readonly logger: AppLogger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const [found] = await this.database.run(inspectSecrets, this.sealer.openableIds);
    if (found && found.plain > 0)
      this.logger.warn(
        { secrets: found.plain },
        'callback secrets are stored in plain text: run `pnpm admin secrets reseal`',
      );
    if (found && found.unopenable > 0)
      this.logger.error(
        { secrets: found.unopenable },
        'callback secrets were sealed with a key that is not in DATA_KEY: add it, or rotate them with `pnpm admin secrets rotate`',
      );
  }
}
