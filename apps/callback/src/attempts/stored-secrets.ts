import { Database, sql, statement, t } from '@gangan/database';
import { AppLogger, Periodic } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';

/** The first bytes of a sealed secret are the id of its key. */
const inspectSecrets = statement(
  { plain: t.int, unopenable: t.int },
  (openableIds: readonly Buffer[]) => sql`
    SELECT count(*) FILTER (WHERE sealed_secret IS NULL)::int AS plain,
      count(*) FILTER (WHERE substring(sealed_secret FOR 4) <> ALL (${openableIds}::bytea[])
        AND (retires_at IS NULL OR retires_at > now()))::int AS unopenable
    FROM (SELECT sealed_secret, retires_at FROM callback_secret
      UNION ALL SELECT sealed_secret, retires_at FROM callback_endpoint_secret) AS stored`,
);

const intervalMs = 60_000;

/** Logs how many secrets are not sealed, or not with a key of this process: at the start, and when the number changes. */
@Injectable()
export class StoredSecrets {
  private reported = { plain: 0, unopenable: 0 };

  constructor(
    private readonly database: Database,
    private readonly sealer: DataSealer,
    private readonly logger: AppLogger,
  ) {}

  @Periodic('checking callback secrets', intervalMs)
  async check(): Promise<boolean> {
    const [found = this.reported] = await this.database.run(inspectSecrets, this.sealer.openableIds);
    const { plain, unopenable } = found;
    if (plain > 0 && plain !== this.reported.plain)
      this.logger.warn(
        { secrets: plain },
        'callback secrets are stored in plain text: run `pnpm admin secrets reseal`',
      );
    if (unopenable > 0 && unopenable !== this.reported.unopenable)
      this.logger.error(
        { secrets: unopenable },
        'callback secrets were sealed with a key that is not in DATA_KEYS: derive the keys again from the DATA_MASTER_KEY of that time, or rotate them (`pnpm admin secrets rotate`; secrets of endpoints: `POST /callback-endpoints/{id}/rotate-secret`)',
      );
    this.reported = found;
    return false;
  }
}
