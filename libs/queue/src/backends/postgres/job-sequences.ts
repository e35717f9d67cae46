import type pg from 'pg';

/**
 * BullMQ creates one sequence per queue when the first job is added, which needs CREATE on the schema and makes the
 * first sender its owner. Apps lack CREATE, so this function creates the sequence as the owner of the schema.
 */
export async function createSequenceFunction(client: pg.ClientBase, schema: string): Promise<void> {
  await client.query(`
    BEGIN;
    SELECT pg_advisory_xact_lock(hashtextextended('gangan create_job_sequence', 0));
    CREATE OR REPLACE FUNCTION ${schema}.create_job_sequence(queue text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      sequence text := ${schema}.job_id_seq_name(queue);
    BEGIN
      IF to_regclass(format('${schema}.%I', sequence)) IS NULL THEN
        -- The lock that BullMQ takes to create a sequence.
        PERFORM pg_advisory_xact_lock(hashtext('bullmq:jidseq:' || queue));
        EXECUTE format('CREATE SEQUENCE IF NOT EXISTS ${schema}.%I', sequence);
        -- Only roles that may use the schema can reach the sequence.
        EXECUTE format('GRANT USAGE ON SEQUENCE ${schema}.%I TO PUBLIC', sequence);
      END IF;
    END $$;
    COMMIT`);
}

/** Makes sure that jobs can be added to the queue. */
export async function createJobSequence(pool: pg.Pool, queue: string): Promise<void> {
  await pool.query('SELECT create_job_sequence($1)', [queue]);
}
