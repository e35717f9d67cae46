-- Moves the money of many items along one flow, from one account of an organisation to another; each item succeeds or
-- fails alone. Only the other money functions call it, which run as its owner.
--
-- Under READ COMMITTED every statement in it sees what was committed before it began. So what follows the lock sees all
-- that was committed while it waited: the balances, the counters of the day and duplicates are never out of date.
--
-- The plans are made once per connection, for tables of any size.
CREATE OR REPLACE FUNCTION move_money(
  flow_kind ledger_movement_kind, flow_from ledger_account_kind, flow_to ledger_account_kind,
  once_among ledger_movement_kind[],
  spending spend_category, default_daily_limit bigint, default_category_limit bigint,
  subjects uuid[], organisations uuid[], amounts bigint[], notes text[], categories spend_category[], days date[],
  charges uuid[] DEFAULT NULL, refunded bigint[] DEFAULT NULL)
RETURNS SETOF money_result
LANGUAGE plpgsql ROWS 50 SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  n CONSTANT int := cardinality(subjects);
  -- Per organisation.
  owners uuid[]; from_ids uuid[]; to_ids uuid[]; from_balances bigint[]; to_balances bigint[]; wallet_days date[];
  daily_limits bigint[]; daily_rooms bigint[]; category_limits bigint[]; category_rooms bigint[];
  budgets bigint[]; -- what balance and limits still allow; NULL without a bound
  -- Per item.
  place int[] := array_fill(NULL::int, ARRAY[n]); -- of its organisation
  outcomes text[] := array_fill(NULL::text, ARRAY[n]);
  ids uuid[] := array_fill(NULL::uuid, ARRAY[n]); -- of the movements
  from_after bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  to_after bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  rests bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  counted_on date[] := array_fill(NULL::date, ARRAY[n]);
  earlier_kinds ledger_movement_kind[] := array_fill(NULL::ledger_movement_kind, ARRAY[n]);
  found record;
  k int;
  expected int := 0;
  written int;
BEGIN
  IF flow_kind IN ('charge', 'reserve') AND num_nulls(spending, default_daily_limit, default_category_limit) > 0 THEN
    RAISE 'Money is spent for a category, within default limits' USING ERRCODE = 'check_violation',
      HINT = 'A row of the table money_limit is missing: insert it, with its amount in kobo.';
  END IF;
  -- For the rest of the transaction: a short wait for locks, and no scans, also for the checks of foreign keys.
  PERFORM set_config('lock_timeout', '200ms', true), set_config('enable_seqscan', 'off', true);
  -- In the order of their ids, so that two batches never deadlock.
  PERFORM FROM ledger_account
  WHERE organisation_id = ANY (organisations) AND balance IS NOT NULL AND kind IN (flow_from, flow_to)
  ORDER BY id FOR UPDATE;

  -- The limits count by day (UTC). A clock that steps back does not begin a day again.
  SELECT array_agg(source.organisation_id), array_agg(source.id), array_agg(target.id), array_agg(source.balance),
    array_agg(target.balance), array_agg(day), array_agg(daily), array_agg(daily - spent_in_all),
    array_agg(category), array_agg(category - spent),
    array_agg(CASE WHEN source.balance IS NOT NULL
              THEN greatest(0, least(source.balance, daily - spent_in_all, category - spent)) END)
  INTO owners, from_ids, to_ids, from_balances, to_balances, wallet_days, daily_limits, daily_rooms, category_limits,
    category_rooms, budgets
  FROM ledger_account source
  JOIN ledger_account target ON target.organisation_id = source.organisation_id AND target.kind = flow_to
  JOIN organisation own ON own.id = source.organisation_id
  CROSS JOIN LATERAL greatest(source.spent_on, target.spent_on, (clock_timestamp() AT TIME ZONE 'UTC')::date) AS day
  LEFT JOIN LATERAL (
    SELECT nullif(coalesce(own.daily_spend_kobo, default_daily_limit), 0) AS daily,
      nullif(coalesce(CASE spending
        WHEN 'message' THEN own.message_daily_spend_kobo WHEN 'otp' THEN own.otp_daily_spend_kobo
        WHEN 'airtime' THEN own.airtime_daily_spend_kobo WHEN 'lookup' THEN own.lookup_daily_spend_kobo END,
        default_category_limit), 0) AS category
    WHERE spending IS NOT NULL) limits ON true
  CROSS JOIN LATERAL (
    SELECT CASE WHEN source.spent_on = day THEN CASE spending
        WHEN 'message' THEN source.message_spent_kobo WHEN 'otp' THEN source.otp_spent_kobo
        WHEN 'airtime' THEN source.airtime_spent_kobo WHEN 'lookup' THEN source.lookup_spent_kobo END ELSE 0 END AS spent,
      CASE WHEN source.spent_on = day THEN source.message_spent_kobo + source.otp_spent_kobo
        + source.airtime_spent_kobo + source.lookup_spent_kobo ELSE 0 END AS spent_in_all) counters
  WHERE source.organisation_id = ANY (organisations) AND source.kind = flow_from;

  -- What moved before: its amount along this flow, and the balance of the wallet after it.
  FOR found IN
    SELECT item.position, earlier.kind, CASE WHEN organisation_id <> item.organisation THEN 0 WHEN to_account = flow_to THEN kobo
      WHEN to_account = flow_from THEN -kobo ELSE 0 END AS kobo, wallet_after
    FROM unnest(subjects, organisations) WITH ORDINALITY AS item (id, organisation, position)
    CROSS JOIN LATERAL (
      SELECT * FROM ledger_movement WHERE subject_id = item.id AND kind = ANY (once_among) LIMIT 1) earlier
  LOOP
    outcomes[found.position] := 'earlier';
    earlier_kinds[found.position] := found.kind;
    amounts[found.position] := found.kobo;
    from_after[found.position] := found.wallet_after;
  END LOOP;

  -- The ids are made under the lock: per wallet, their order is the order of its balances.
  FOR i IN 1..n LOOP
    k := array_position(owners, organisations[i]);
    place[i] := k;
    IF k IS NULL THEN
      RAISE 'Organisation % has no ledger accounts', organisations[i] USING ERRCODE = 'foreign_key_violation';
    ELSIF outcomes[i] IS NOT NULL THEN
      CONTINUE;
    ELSIF coalesce(amounts[i], -1) < 0 THEN
      RAISE 'The amount of % is not positive', subjects[i] USING ERRCODE = 'check_violation';
    ELSIF amounts[i] > budgets[k] THEN
      outcomes[i] := CASE WHEN amounts[i] > from_balances[k] THEN 'insufficient' ELSE 'over_limit' END;
      from_after[i] := from_balances[k];
      rests[i] := budgets[k];
    ELSE
      outcomes[i] := 'moved';
      budgets[k] := budgets[k] - amounts[i];
      from_balances[k] := from_balances[k] - amounts[i];
      to_balances[k] := to_balances[k] + amounts[i];
      from_after[i] := from_balances[k];
      to_after[i] := to_balances[k];
      IF amounts[i] > 0 THEN
        ids[i] := uuidv7();
        expected := expected + 1;
        -- A refund counts on the day of its charge, and only while that day lasts.
        IF spending IS NOT NULL THEN
          categories[i] := spending;
          counted_on[i] := wallet_days[k];
        ELSIF flow_to = 'wallet' AND days[i] = wallet_days[k] THEN
          counted_on[i] := days[i];
        END IF;
      END IF;
    END IF;
  END LOOP;

  IF expected > 0 THEN
    IF 'wallet' IN (flow_from, flow_to) THEN
      UPDATE ledger_account account SET balance = change.balance, spent_on = day,
        message_spent_kobo = greatest(0, CASE WHEN account.spent_on = day THEN message_spent_kobo ELSE 0 END + message),
        otp_spent_kobo = greatest(0, CASE WHEN account.spent_on = day THEN otp_spent_kobo ELSE 0 END + otp),
        airtime_spent_kobo = greatest(0, CASE WHEN account.spent_on = day THEN airtime_spent_kobo ELSE 0 END + airtime),
        lookup_spent_kobo = greatest(0, CASE WHEN account.spent_on = day THEN lookup_spent_kobo ELSE 0 END + lookup)
      FROM (
        SELECT CASE flow_from WHEN 'wallet' THEN from_ids[place] ELSE to_ids[place] END AS id,
          CASE flow_from WHEN 'wallet' THEN from_balances[place] ELSE to_balances[place] END AS balance,
          wallet_days[place] AS day, message, otp, airtime, lookup
        FROM (
          SELECT place, coalesce(sum(amount) FILTER (WHERE category = 'message'), 0) AS message,
            coalesce(sum(amount) FILTER (WHERE category = 'otp'), 0) AS otp,
            coalesce(sum(amount) FILTER (WHERE category = 'airtime'), 0) AS airtime,
            coalesce(sum(amount) FILTER (WHERE category = 'lookup'), 0) AS lookup
          FROM (
            SELECT place, category, CASE WHEN spent_on IS NULL THEN 0 WHEN flow_from = 'wallet' THEN kobo ELSE -kobo END AS amount
            FROM unnest(place, ids, amounts, categories, counted_on) AS item (place, id, kobo, category, spent_on)
            WHERE id IS NOT NULL) moved
          GROUP BY place) per_wallet) change
      WHERE account.id = change.id;
    END IF;
    IF 'reserved' IN (flow_from, flow_to) THEN
      UPDATE ledger_account account SET balance = change.balance
      FROM unnest(CASE flow_from WHEN 'reserved' THEN from_ids ELSE to_ids END,
        CASE flow_from WHEN 'reserved' THEN from_balances ELSE to_balances END) AS change (id, balance)
      WHERE account.id = change.id AND account.balance <> change.balance;
    END IF;

    INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo, wallet_after,
      reserved_after, charge_id, refunded_after, note, category, spent_on, created_at)
    SELECT subject, flow_kind, id, organisation, flow_from, flow_to, kobo,
      CASE WHEN flow_from = 'wallet' THEN source_after WHEN flow_to = 'wallet' THEN target_after END,
      CASE WHEN flow_from = 'reserved' THEN source_after WHEN flow_to = 'reserved' THEN target_after END,
      charge, refunded_after, note, category, spent_on, uuid_extract_timestamp(id)
    FROM unnest(ids, organisations, subjects, amounts, from_after, to_after, charges, refunded, notes, categories, counted_on)
      AS item (id, organisation, subject, kobo, source_after, target_after, charge, refunded_after, note, category, spent_on)
    WHERE id IS NOT NULL
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written < expected THEN
      -- Only for a flow without a balance to lock, or a subject of two organisations.
      RAISE 'A duplicate was booked at the same time' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;

  RETURN QUERY
  SELECT item.subject, item.outcome, item.kobo,
    CASE WHEN flow_from = 'wallet' OR item.outcome <> 'moved' THEN item.from_after
         WHEN flow_to = 'wallet' THEN item.to_after END,
    item.earlier_kind, daily_limits[item.place], daily_rooms[item.place], category_limits[item.place],
    category_rooms[item.place], item.remaining
  FROM unnest(subjects, outcomes, amounts, place, from_after, to_after, rests, earlier_kinds)
    AS item (subject, outcome, kobo, place, from_after, to_after, remaining, earlier_kind);
END $$;
