import { fakeInfobip } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { documentOf } from '../../src/http/inbound-document.js';
import { readReports } from '../../src/http/reports/read-reports.js';
import { infobip } from '../../src/presets/infobip.js';
import { describePreset, jsonReport, undelivered } from './describe-preset.js';

const apiKey = 'infobip-key/with+special';
const result = (groupName: string, name: string, messageId = 'm1', error = 'NO_ERROR') => ({
  bulkId: 'b1',
  messageId,
  to: '2348031234567',
  sender: 'Acme',
  messageCount: 1,
  price: { pricePerMessage: 0.01, currency: 'EUR' },
  status: { groupId: 1, groupName, id: 1, name, description: name },
  error: { groupId: 0, groupName: 'OK', id: 0, name: error, description: error, permanent: false },
});

/**
 * The general error codes (146, of which EC_NOTSUBMITTEDTOSMPPCHANNEL is listed twice) and those of DLT (51), without `EC_`,
 * in a public copy of https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes from July 2026.
 */
const otherErrors = `
UNKNOWN_BASE_STATION UNKNOWN_EQUIPMENT ILLEGAL_EQUIPMENT FACILITY_NOT_SUPPORTED SM_DELIVERY_FAILURE
MESSAGE_WAITING_LIST_FULL SYSTEM_FAILURE DATA_MISSING UNEXPECTED_DATA_VALUE UNKNOWN_ERROR
SM_DF_EQUIPMENTPROTOCOLERROR SM_DF_EQUIPMENTNOTSM_EQUIPPED SM_DF_UNKNOWNSERVICECENTRE SM_DF_SC_CONGESTION
SM_DF_INVALIDSME_ADDRESS SM_DF_SUBSCRIBERNOTSC_SUBSCRIBER PROVIDER_GENERAL_ERROR NO_RESPONSE
SERVICE_COMPLETION_FAILURE UNEXPECTED_RESPONSE_FROM_PEER MISTYPED_PARAMETER NOT_SUPPORTED_SERVICE
DUPLICATED_INVOKE_ID CANNOT_RECEIVE_SC OR_APPCONTEXTNOTSUPPORTED OR_INVALIDDESTINATIONREFERENCE
OR_INVALIDORIGINATINGREFERENCE OR_ENCAPSULATEDAC_NOTSUPPORTED OR_TRANSPORTPROTECTIONNOTADEQUATE OR_NOREASONGIVEN
OR_POTENTIALVERSIONINCOMPATIBILITY OR_REMOTENODENOTREACHABLE NNR_NOTRANSLATIONFORANADDRESSOFSUCHNATURE
NNR_NOTRANSLATIONFORTHISSPECIFICADDRESS NNR_SUBSYSTEMCONGESTION NNR_SUBSYSTEMFAILURE NNR_UNEQUIPPEDUSER
NNR_MTPFAILURE NNR_NETWORKCONGESTION NNR_UNQUALIFIED NNR_ERRORINMESSAGETRANSPORTXUDT NNR_ERRORINLOCALPROCESSINGXUDT
NNR_DESTINATIONCANNOTPERFORMREASSEMBLYXUDT NNR_SCCPFAILURE NNR_HOPCOUNTERVIOLATION NNR_SEGMENTATIONNOTSUPPORTED
NNR_SEGMENTATIONFAILURE UA_USERSPECIFICREASON UA_USERRESOURCELIMITATION UA_RESOURCEUNAVAILABLE
UA_APPLICATIONPROCEDURECANCELLATION PA_PROVIDERMALFUNCTION PA_SUPPORTINGDIALOGORTRANSACTIONREALEASED
PA_RESSOURCELIMITATION PA_MAINTENANCEACTIVITY PA_VERSIONINCOMPATIBILITY PA_ABNORMALMAPDIALOG
NC_ABNORMALEVENTDETECTEDBYPEER NC_RESPONSEREJECTEDBYPEER NC_ABNORMALEVENTRECEIVEDFROMPEER
NC_MESSAGECANNOTBEDELIVEREDTOPEER NC_PROVIDEROUTOFINVOKE INVALID_REQUEST_TYPE ACCOUNT_ACCESS_DENIED
ACC_NOT_PROVISIONED_TO_SMS_DEMO_SC EXCEEDED_THE_TIME_LIMIT_OF_SMS_DEMO DEST_ADDRESS_NOT_IN_SMS_DEMO
EXCEEDED_THE_MAX_NUMBER INVALID_GLOBAL_CAMPAIGN_ID INTERACTION_NOT_SUPPORTED ACC_NOT_2_WAY INVALID_PDU_FORMAT
MONTHLY_LIMIT_REACHED NOTSUBMITTEDTOSMPPCHANNEL BEARER_SERVICE_NOT_PROVISIONED SS_INCOMPATIBILITY
NO_RADIO_RESOURCE_AVAILABLE RESOURCE_LIMITATION UNKNOWN_ALPHABET INVALID_RESPONSE_RECEIVED
BLOCKED_NEW_SUBSCRIPTIONS_FOR_SC DEST_OVERLOADED MOBILE_OPERATOR_NETWORK_ERROR UNKNOWN_MOBILE_OPERATOR
FAILED_MESSAGE_DELIVERY MESSAGE_SUBMITTED_NOT_ACKED TIME_OUT INVALIDMSCADDRESS NOTSUBMITTEDTOGMSC`;
const dltErrors = `
BLOCKED_BY_DLT DLT_SCRUBBING_TIMEOUT SENDER_BLOCKED_BY_DLT TELEMARKETER_BLOCKED_BY_DLT ENTITY_BLOCKED_BY_DLT
TEMPLATE_BLOCKED_BY_DLT ENTITY_NOT_FOUND ENTITY_NOT_REGISTERED ENTITY_INACTIVE ENTITY_BLACKLISTED INVALID_ENTITY_ID
ENTITY_ID_NOT_ALLOWED_FOR_TM TELEMARKETER_NOT_REGISTERED TELEMARKETER_INACTIVE TELEMARKETER_BLACKLISTED
HEADER_NOT_FOUND HEADER_INACTIVE HEADER_BLACKLISTED PEID_NOT_MATCHED_WITH_HEADER HEADER_IN_FREEPOOL
TEMPLATE_NOT_FOUND TEMPLATE_INACTIVE TEMPLATE_BLACKLISTED TEMPLATE_NOT_MATCHED HEADER_NOT_REGISTERED_FOR_TEMPLATE
TEMPLATE_VARIABLE_EXCEEDED_MAX_LENGTH ERROR_IDENTIFYING_TEMPLATE INVALID_TEMPLATE_ID
TEMPLATE_NOT_REGISTERED_TO_ENTITY PROMOTIONAL_TEMPLATE_USED_ON_OTHERS_HEADER INVALID_TEMPLATE_TYPE
PREFERENCE_NOT_MATCHED INVALID_PROMO_TIME SE_CATEGORY_BLOCK CONSENT_FAILED SCRUBBING_FAILED TLV_PEID_NOT_FOUND
TLV_TMPID_NOT_FOUND CONTENT_MULTIPART_INCOMPLETE_BY_DLT HEADER_SUSPENDED_DUE_TO_VALIDITY
HEADER_SUSPENDED_DUE_TO_USAGE HEADER_SUSPENDED_DUE_TO_CUSTOMER TEMPLATE_SUSPENDED_DUE_TO_VALIDITY
TEMPLATE_SUSPENDED_DUE_TO_USAGE TEMPLATE_SUSPENDED_DUE_TO_CUSTOMER CTA_NOT_WHITELISTED PE_TM_HASH_NOT_RECEIVED
PE_TM_HASH_NOT_REGISTERED PE_TM_HASH_INACTIVE PE_TM_HASH_BLACKLISTED PE_TM_HASH_SUSPENDED`;

describePreset(infobip, {
  script: fakeInfobip(apiKey),
  secrets: { api_key: apiKey },
  sent: ({ recipient_digits: to, text, reference }) => ({ to, from: 'Acme', text, reference }),
  reference: /^[0-9a-f-]{36}$/,
  credit: { currency: 'EUR', micros: 47_791_340n },
  refusal: (code) => ({ code }),
  failure: (code) =>
    jsonReport({ results: [result('UNDELIVERABLE', 'UNDELIVERABLE_NOT_DELIVERED', 'm1', `EC_${code}`)] }),
  tables: [
    {
      title: 'a status of an accepted message',
      codes:
        'PENDING_WAITING_DELIVERY PENDING_ENROUTE PENDING_ACCEPTED DELIVERED_TO_OPERATOR DELIVERED_TO_HANDSET',
      sent: ['accepted', undefined],
    },
    undelivered(
      'a number that cannot receive SMS',
      'invalid_number',
      `
UNKNOWN_SUBSCRIBER UNIDENTIFIED_SUBSCRIBER TELESERVICE_NOT_PROVISIONED INVALID_DESTINATION_ADDRESS
INVALID_REQUEST_DESTINATION OPERATOR_NOT_FOUND DESTINATION_NOT_SMS_PROVISIONED DEST_ADDRESS_UNABLE_TO_RECEIVE_SMS
DEACTIVATED_LIST`,
    ),
    undelivered(
      'a phone that is off',
      'unreachable',
      `
ABSENT_SUBSCRIBER_SM ABSENT_SUBSCRIBER ROAMING_NOT_ALLOWED CALL_BARRED SUBSCRIBER_BUSY_FOR_MT_SMS
SM_DF_MEMORYCAPACITYEXCEEDED USER_OUT_OF_CREDIT TEMPORARY_HANDSET_FAILURE DEST_ADDRESS_SUSPENDED`,
    ),
    undelivered('DND', 'dnd', 'DEST_ADDRESS_BLACKLISTED'),
    undelivered(
      'a recipient who is blocked',
      'recipient_blocked',
      `
ILLEGAL_SUBSCRIBER SC_BLOCKED_BY_END_USER SC_BLOCKED_FOR_END_USER CONTENT_BLOCKED BLOCKED_BY_CAMPAIGN_BLACKLIST
BLACKLISTED_DESTINATIONADDRESS IMSI_BLACKLISTED DESTINATION_BLOCKED_BY_OPERATOR CUG_REJECT`,
    ),
    undelivered(
      'a sender that is not allowed',
      'invalid_sender',
      `
INVALID_SOURCE_ADDRESS SOURCE_ADDRESS_IS_BLOCKED BLACKLISTED_SENDERADDRESS SC_NOT_PROVISIONED SC_EXPIRED SC_BLOCKED
TF_NUMBER_NOT_VERIFIED CAMPAIGNID_NOT_PROVISIONED CAMPAIGN_ID_REJECTED`,
    ),
    undelivered(
      'a filter',
      'rejected',
      `
CONTENT_BLOCKED_BY_OPERATOR REJECTED_SPAM_BY_OPERATOR SIGNALS_BLOCKED DESTINATION_FLOODING DESTINATION_TXT_FLOODING
SMS_REJECTED_BY_MOBILE_OPERATOR DUPLICATE_MESSAGE`,
    ),
    undelivered('a text that is too long', 'too_long', 'MSG_TEXT_TOO_LONG'),
    undelivered(
      'a network without a route',
      'no_route',
      'ACCOUNT_NOT_PROVISIONED_FOR_CHANNEL ACC_HAS_NO_ADRESS_FOR_DESR',
    ),
    undelivered('too many messages', 'throttled', 'LIMIT_REACHED'),
    undelivered(
      'a daily limit',
      'daily_limit',
      'QUOTA_REACHED 10DLC_LIMIT_REACHED SIGNALS_HARD_LIMIT_REACHED',
    ),
    {
      title: 'an end of the validity',
      codes: `
VALIDITY_EXPIRED MESSAGE_CANCELED VP_EXPIRED MESSAGE_EXPIRED`,
      reported: ['expired', 'validity_ended'],
    },
    undelivered('another error', 'provider_error', otherErrors),
    undelivered('an error of DLT', 'provider_error', dltErrors),
  ],
  // All statuses of that page that do not mean accepted (29 of 34), and those of HTTP.
  refusals: [
    [{ code: 'REJECTED_NETWORK' }, 'refused', 'no_route'],
    [{ code: 'REJECTED_PREFIX_MISSING' }, 'failed', 'invalid_number'],
    [{ code: 'REJECTED_DND' }, 'failed', 'dnd'],
    [{ code: 'REJECTED_SOURCE' }, 'refused', 'invalid_sender'],
    [{ code: 'REJECTED_NOT_ENOUGH_CREDITS' }, 'account', 'provider_account'],
    [{ code: 'REJECTED_SENDER' }, 'refused', 'invalid_sender'],
    [{ code: 'REJECTED_DESTINATION_BLOCKLISTED' }, 'failed', 'recipient_blocked'],
    [{ code: 'REJECTED_PREPAID_PACKAGE_EXPIRED' }, 'account', 'provider_account'],
    [{ code: 'REJECTED_DESTINATION_NOT_REGISTERED' }, 'refused', 'no_route'],
    [{ code: 'REJECTED_ROUTE_NOT_AVAILABLE' }, 'refused', 'no_route'],
    [{ code: 'REJECTED_FLOODING_FILTER' }, 'failed', 'rejected'],
    [{ code: 'REJECTED_SYSTEM_ERROR' }, 'transient', 'provider_unavailable'],
    [{ code: 'REJECTED_DUPLICATE_MESSAGE_ID' }, 'unknown', 'unclear_answer'],
    [{ code: 'REJECTED_INVALID_UDH' }, 'refused', 'provider_error'],
    [{ code: 'REJECTED_MESSAGE_TOO_LONG' }, 'failed', 'too_long'],
    [{ code: 'MISSING_TO' }, 'failed', 'invalid_number'],
    [{ code: 'REJECTED_DESTINATION' }, 'failed', 'invalid_number'],
    [{ code: 'SIGNALS_BLOCKED' }, 'failed', 'rejected'],
    [{ code: 'UNDELIVERABLE_REJECTED_PLATFORM' }, 'transient', 'provider_unavailable'],
    [{ code: 'UNDELIVERABLE_REJECTED_OPERATOR' }, 'refused', 'provider_error'],
    [{ code: 'UNDELIVERABLE_NOT_DELIVERED' }, 'refused', 'provider_error'],
    [{ code: 'UNDELIVERABLE_NOT_SENT' }, 'refused', 'provider_error'],
    [{ code: 'NO_ANSWER' }, 'refused', 'provider_error'],
    [{ code: 'BUSY' }, 'refused', 'provider_error'],
    [{ code: 'CANCELLED' }, 'refused', 'provider_error'],
    [{ code: 'REJECTED' }, 'refused', 'provider_error'],
    [{ code: 'EXPIRED_EXPIRED' }, 'refused', 'provider_error'],
    [{ code: 'EXPIRED_DLR_UNKNOWN' }, 'refused', 'provider_error'],
    [{ status: 400, code: 'Request cannot be processed.' }, 'refused', 'provider_error'],
    [{ status: 401, code: 'Unauthorized' }, 'account', 'provider_account'],
    [{ status: 403, code: 'Forbidden' }, 'account', 'provider_account'],
    [{ status: 429, code: 'Too many requests' }, 'throttled', 'throttled'],
    [{ status: 500, code: 'Something went wrong.' }, 'unknown', 'no_answer'],
    [{ status: 503, code: 'Service unavailable' }, 'transient', 'provider_unavailable'],
  ],
  reports: {
    request: (groupName = '', name = '', error = 'NO_ERROR') =>
      jsonReport({ results: [result(groupName, name, 'm1', error)] }),
    cost: { currency: 'EUR', micros: 10_000n },
    states: [
      [['PENDING', 'PENDING_WAITING_DELIVERY'], 'sent'],
      [['PENDING', 'PENDING_ENROUTE'], 'sent'],
      [['PENDING', 'PENDING_ACCEPTED'], 'sent'],
      [['UNDELIVERABLE', 'UNDELIVERABLE_REJECTED_OPERATOR'], 'undelivered', 'provider_error'],
      [['UNDELIVERABLE', 'UNDELIVERABLE_NOT_DELIVERED'], 'undelivered', 'provider_error'],
      [['UNDELIVERABLE', 'UNDELIVERABLE_NOT_SENT'], 'undelivered', 'provider_error'],
      [['UNDELIVERABLE', 'NO_ANSWER'], 'undelivered', 'provider_error'],
      [['UNDELIVERABLE', 'BUSY'], 'undelivered', 'provider_error'],
      [['UNDELIVERABLE', 'CANCELLED'], 'undelivered', 'provider_error'],
      [['DELIVERED', 'DELIVERED_TO_OPERATOR'], 'sent'],
      [['DELIVERED', 'DELIVERED_TO_HANDSET'], 'delivered'],
      [['EXPIRED', 'EXPIRED_EXPIRED'], 'expired', 'validity_ended'],
      [['EXPIRED', 'EXPIRED_DLR_UNKNOWN'], 'expired', 'validity_ended'],
      [['EXPIRED', 'SIGNALS_BLOCKED'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED_NETWORK'], 'undelivered', 'no_route'],
      [['REJECTED', 'REJECTED_PREFIX_MISSING'], 'undelivered', 'invalid_number'],
      [['REJECTED', 'REJECTED_DND'], 'undelivered', 'dnd'],
      [['REJECTED', 'REJECTED_SOURCE'], 'undelivered', 'invalid_sender'],
      [['REJECTED', 'REJECTED_NOT_ENOUGH_CREDITS'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED_SENDER'], 'undelivered', 'invalid_sender'],
      [['REJECTED', 'REJECTED_DESTINATION_BLOCKLISTED'], 'undelivered', 'recipient_blocked'],
      [['REJECTED', 'REJECTED_PREPAID_PACKAGE_EXPIRED'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED_DESTINATION_NOT_REGISTERED'], 'undelivered', 'no_route'],
      [['REJECTED', 'REJECTED_ROUTE_NOT_AVAILABLE'], 'undelivered', 'no_route'],
      [['REJECTED', 'REJECTED_FLOODING_FILTER'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED_SYSTEM_ERROR'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED_DUPLICATE_MESSAGE_ID'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED_INVALID_UDH'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED_MESSAGE_TOO_LONG'], 'undelivered', 'too_long'],
      [['REJECTED', 'MISSING_TO'], 'undelivered', 'invalid_number'],
      [['REJECTED', 'REJECTED_DESTINATION'], 'undelivered', 'invalid_number'],
      [['REJECTED', 'SIGNALS_BLOCKED'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED'], 'undelivered', 'rejected'],
      [['REJECTED', 'UNDELIVERABLE_REJECTED_PLATFORM'], 'undelivered', 'rejected'],
      // The status counts before an error.
      [['DELIVERED', 'DELIVERED_TO_HANDSET', 'EC_ABSENT_SUBSCRIBER'], 'delivered'],
      [['EXPIRED', 'EXPIRED_EXPIRED', 'EC_ABSENT_SUBSCRIBER'], 'expired', 'validity_ended'],
    ],
  },
});

describe('a request of Infobip', () => {
  it('may have several reports', () => {
    const { reports: settings } = infobip.settings;
    const results = [
      result('DELIVERED', 'DELIVERED_TO_HANDSET'),
      result('EXPIRED', 'EXPIRED_EXPIRED', 'm2'),
      result('NEW', 'NEW_STATUS', 'm3'),
    ];
    expect(settings && readReports(settings, documentOf(jsonReport({ results })))).toMatchObject({
      reports: [
        // The id is ours, so a report also ends a message whose answer was lost.
        { providerReference: 'm1', reference: 'm1', state: 'delivered' },
        { providerReference: 'm2', reference: 'm2', state: 'expired' },
      ],
      faults: [expect.stringContaining('NEW')],
    });
  });
});
