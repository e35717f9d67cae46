-- Replaced by the indexes of the last two migrations. Lists by channel and category compare the messages of the
-- organisation, which message_organisation_id_id_idx lists.
DROP INDEX delivery_message_id_idx, delivery_state_idx, message_organisation_id_channel_category_id_idx;
