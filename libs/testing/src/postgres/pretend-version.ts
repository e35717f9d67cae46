import { runSql } from './run-sql.js';

/** New connections to the database get another version number of the server: an own function is found first. */
export const pretendVersion = (url: string, major: number): Promise<object[]> =>
  runSql(
    url,
    `CREATE SCHEMA old;
     CREATE FUNCTION old.current_setting(name text) RETURNS text LANGUAGE sql AS
       $$ SELECT CASE name WHEN 'server_version_num' THEN '${major}0004' ELSE pg_catalog.current_setting(name) END $$;
     DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET search_path = old, pg_catalog, public', current_database());
     END $$`,
  );
