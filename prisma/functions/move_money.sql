-- Moves the money of many items along one flow, from one account of an organisation to another; each item succeeds or
-- fails alone. `libs/billing` calls it and has the types and the explanation of each parameter (`MoneyFlow`, `Spending`,
-- `LedgerItem`).
--
-- Under READ COMMITTED every statement in it sees what was committed before it began. So what follows the lock sees all
-- that was committed while it waited: the balances, the counters of the day and duplicates are never out of date.
--
-- It runs with the privileges of its caller. The plans are made once per connection, for tables of any size.
CREATE OR REPLACE FUNCTION move_money(
  flow_kind ledger_transaction_kind, flow_from ledger_account_kind, flow_to ledger_account_kind,
  once_among ledger_transaction_kind[],
  spending spend_category, default_daily_limit bigint, default_category_limit bigint,
  subjects uuid[], organisations uuid[], amounts bigint[], notes text[], categories spend_category[], days date[])
RETURNS TABLE (
  subject_id uuid, outcome text, kobo bigint, balance bigint, earlier_kind ledger_transaction_kind,
  daily_limit bigint, daily_room bigint, category_limit bigint, category_room bigint, remaining bigint)
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
  movements uuid[] := array_fill(NULL::uuid, ARRAY[n]);
  from_after bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  to_after bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  rests bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  counted_on date[] := array_fill(NULL::date, ARRAY[n]);
  earlier_ids uuid[] := array_fill(NULL::uuid, ARRAY[n]);
  earlier_kinds ledger_transaction_kind[] := array_fill(NULL::ledger_transaction_kind, ARRAY[n]);
  found record;
  k int;
  expected int := 0;
  written int;
BEGIN
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

  FOR found IN
    SELECT item.position, earlier.id, earlier.kind FROM unnest(subjects) WITH ORDINALITY AS item (id, position)
    CROSS JOIN LATERAL (
      SELECT id, kind FROM ledger_transaction
      WHERE subject_id = item.id AND kind = ANY (once_among) LIMIT 1) earlier
  LOOP
    earlier_ids[found.position] := found.id;
    earlier_kinds[found.position] := found.kind;
  END LOOP;

  -- The ids are made under the lock: per wallet, their order is the order of its balances.
  FOR i IN 1..n LOOP
    k := array_position(owners, organisations[i]);
    place[i] := k;
    IF k IS NULL THEN
      RAISE 'Organisation % has no ledger accounts', organisations[i] USING ERRCODE = 'foreign_key_violation';
    ELSIF earlier_ids[i] IS NOT NULL THEN
      outcomes[i] := 'earlier';
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
        movements[i] := uuidv7();
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
    INSERT INTO ledger_transaction (id, organisation_id, kind, subject_id, note, category, spent_on, created_at)
    SELECT id, organisation, flow_kind, subject, note, category, spent_on, uuid_extract_timestamp(id)
    FROM unnest(movements, organisations, subjects, notes, categories, counted_on)
      AS item (id, organisation, subject, note, category, spent_on)
    WHERE id IS NOT NULL
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written < expected THEN
      -- Only for a flow without a balance to lock, or a subject of two organisations.
      RAISE 'A duplicate was booked at the same time' USING ERRCODE = 'serialization_failure';
    END IF;

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
            FROM unnest(place, movements, amounts, categories, counted_on) AS item (place, id, kobo, category, spent_on)
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

    INSERT INTO ledger_entry (transaction_id, account_id, amount, balance_after)
    SELECT id, from_ids[place], -kobo, after FROM unnest(movements, place, amounts, from_after) AS item (id, place, kobo, after)
    WHERE id IS NOT NULL
    UNION ALL
    SELECT id, to_ids[place], kobo, after FROM unnest(movements, place, amounts, to_after) AS item (id, place, kobo, after)
    WHERE id IS NOT NULL;
  END IF;

  RETURN QUERY
  SELECT item.subject, item.outcome,
    CASE WHEN item.earlier_id IS NULL THEN item.kobo ELSE coalesce((
      SELECT amount FROM ledger_entry WHERE transaction_id = item.earlier_id AND account_id = to_ids[item.place]), 0) END,
    CASE WHEN item.earlier_id IS NOT NULL THEN (
           SELECT balance_after FROM ledger_entry WHERE transaction_id = item.earlier_id
             AND account_id = CASE WHEN flow_from = 'wallet' THEN from_ids[item.place]
                                   WHEN flow_to = 'wallet' THEN to_ids[item.place] END)
         WHEN flow_from = 'wallet' OR item.outcome <> 'moved' THEN item.from_after
         WHEN flow_to = 'wallet' THEN item.to_after END,
    item.earlier_kind, daily_limits[item.place], daily_rooms[item.place], category_limits[item.place],
    category_rooms[item.place], item.remaining
  FROM unnest(subjects, outcomes, amounts, place, from_after, to_after, rests, earlier_ids, earlier_kinds)
    AS item (subject, outcome, kobo, place, from_after, to_after, remaining, earlier_id, earlier_kind);
END $$;
