import { createHmac } from 'node:crypto';
import { fakeTwilio } from '@gangan/testing';
import { findForgery } from '../../src/inbound/verify-request.js';
import { describe, expect, it } from '@jest/globals';
import { twilio } from '../../src/presets/twilio.js';
import { describePreset, formReport, reportUrlOf, undelivered } from './describe-preset.js';

const secrets = { account_sid: 'AC0123456789abcdef0123456789abcdef', auth_token: '12345-auth-token' };
const report = (MessageStatus = '', ErrorCode = '') =>
  formReport({
    AccountSid: secrets.account_sid,
    MessageSid: 'SM1',
    SmsSid: 'SM1',
    MessageStatus,
    From: 'Acme',
    To: '+2348031234567',
    ApiVersion: '2010-04-01',
    ...(ErrorCode !== '' && { ErrorCode }),
  });

/**
 * All codes of the products Programmable SMS (210) and Programmable Messaging (158) in the dictionary of errors, in a public
 * copy of https://www.twilio.com/docs/api/errors/twilio-error-codes.json from February 2025, and those of the REST API that
 * can concern a message. The pages of 30044, 30045, 30047, 572002, 572005 and 572006 are newer, and 30046 is from a public
 * list.
 */
const otherMessaging = `
11100 11206 11321 11322 11751 14107 14109 21619 21624 21627 21652 21654 21655 21656 21658 21708 21709 21710 21711
21712 21713 21714 21715 21717 21719 21720 21721 21722 21723 21724 21725 21726 21727 21728 21729 21731 21732 21733
21736 21737 21902 21910 23001 23002 23003 23004 23005 23006 30008 30009 30010 30011 30025 30026 30028 30029 30030
30031 30038 30039 30045 30100 30101 30102 30103 30104 30105 30106 30107 30108 30109 30110 30111 30113 30114 30115
30116 30117 30118 30119 30120 30121 30122 30123 30124 30125 30126 30127 30128 30129 30130 30131 30132 30133 30134
30135 30136 30400 30404 30409 30436 30437 30440 30441 30442 30443 30444 30445 30446 30447 30448 30449 30451 30452
30455 30456 30457 30458 30459 30460 30461 30462 30463 30464 30465 30466 30467 30468 30469 30470 30471 30472 30473
30474 30475 30476 30477 30478 30479 30480 30646 30647 30701 30702 30703 30712 30729 30734 30747 30748 30749 30750
30751 30752 30753 30754 30755 30756 30757 30758 30790 30791 30792 30793 30794 30795 30796 30797 30798 30799 30880
30881 30882 30883 30884 30885 30886 30887 30888 30889 30890 30891 30892 30893 30894 30895 30896 30897 30898 30899
30900 30901 30902 30903 30904 30905 30906 30907 30908 30909 30990 30991 30992 30993 30994 35111 35114 35115 35117
35118 35125 35126 35127 35132 35133 35134 36001 36002 36003 36004 36005 36006 36007 36008 36009 57001 57002 57003
57004 57005 57006 57007 57008 57009 57010 57011 57012 57013 57014 57016 57017 57018 57019 57020 57021 57022 63001
63002 63003 63005 63006 63007 63008 63009 63010 63011 63012 63013 63014 63015 63016 63017 63018 63019 63020 63021
63022 63023 63024 63025 63026 63027 63028 63029 63030 63031 63032 63033 63034 63035 63036 63037 63039 63040 63041
63042 63043 63044 63045 63046 63047 63049 63051 63052 90001 90006 90007 90009 90014 90031 92001 92002 92003 92004
92005 92006 92007 92008 92009 216602 572006`;
const otherRest = `
20001 20002 20004 20007 20009 20011 20012 20020 20021 20023 20162 20409 20413 20422 20423 20426 21602 21613 21620
21621 21622 21623 21653 21900 21901 30012 30013 30015 30016 30112`;
const accessTokens =
  '20101 20102 20103 20104 20105 20106 20107 20151 20152 20153 20154 20155 20156 20157 20159 20160';

describePreset(twilio, {
  script: fakeTwilio(secrets.account_sid, secrets.auth_token),
  secrets,
  sent: (values) => ({
    to: values.recipient,
    from: 'Acme',
    text: values.text,
    reportUrl: reportUrlOf(values),
  }),
  reference: /^SM\d{32}$/,
  credit: { currency: 'USD', micros: -3_141_590n },
  refusals: [
    [{ status: 429, code: '21611' }, 'transient', 'sender_queue_full'],
    [{ status: 429, code: '20429' }, 'throttled', 'throttled'],
    [{ status: 429, code: '63038' }, 'account', 'provider_account'],
    [{ status: 401, code: '20003' }, 'account', 'provider_account'],
    [{ status: 403, code: '10001' }, 'account', 'provider_account'],
    [{ status: 404, code: '20404' }, 'account', 'provider_account'],
    [{ code: '29999' }, 'refused', 'provider_error'],
    ...['20500', '20504'].map((code) => [{ status: 503, code }, 'unknown', 'no_answer'] as const),
    [{ status: 503, code: '20503' }, 'transient', 'provider_unavailable'],
    ...accessTokens.split(' ').map((code) => [{ status: 401, code }, 'account', 'provider_account'] as const),
  ],
  refusal: (code) => ({ code }),
  failure: (code) => report('undelivered', code),
  tables: [
    undelivered(
      'a number that cannot be reached',
      'invalid_number',
      '21211 21265 21266 21268 21604 21614 21635 30005 30006 30014',
      'failed',
    ),
    undelivered('a recipient who has opted out', 'opted_out', '21610', 'failed'),
    undelivered('a recipient who refused', 'recipient_blocked', '30004 30630', 'failed'),
    undelivered('a phone that is off', 'unreachable', '30003 30046', 'failed'),
    undelivered(
      'a sender that is not allowed',
      'invalid_sender',
      `
21212 21264 21267 21601 21603 21606 21607 21616 21657 21659 21660 21661 30018 30024 30032 30033 30034 30035 30040 30041
30042 30620 572002`,
      'refused',
    ),
    undelivered('a text that is too long', 'too_long', '21605 21617 30019 30044', 'failed'),
    undelivered('a filter', 'rejected', '21618 30007 30043 30450 30453 30485 30610 30615', 'failed'),
    undelivered(
      'a destination that is not open to the account',
      'no_route',
      '21408 21608 21612 21703 572005',
      'refused',
    ),
    undelivered('the full queue of a sender', 'sender_queue_full', '21611 30001', 'transient'),
    undelivered('the daily limit of a carrier', 'daily_limit', '30023 30027', 'transient'),
    undelivered('too many messages', 'throttled', '20429 30022', 'throttled'),
    {
      title: 'a fault of the account',
      codes: `
10001 10002 20003 20005 20006 20008 20010 20403 20404 20410 21470 21471 21472 21609 21626 21701 21702 21704 21705 30002
30037 30454 63038`,
      sent: ['account', 'provider_account'],
      reported: ['undelivered', 'provider_error'],
    },
    {
      title: 'a fault of Twilio or of a carrier',
      codes: '21730 30017 30020 30021 30047 30410 30500',
      sent: ['transient', 'provider_unavailable'],
      reported: ['undelivered', 'provider_error'],
    },
    {
      title: 'an end of the validity',
      codes: '30036',
      sent: ['refused', 'provider_error'],
      reported: ['expired', 'validity_ended'],
    },
    {
      // Parameters that the preset does not send, registrations, links, WhatsApp, or no reason.
      title: 'another code of messaging',
      codes: otherMessaging,
      sent: ['refused', 'provider_error'],
      reported: ['undelivered', 'provider_error'],
    },
    { title: 'another code of the REST API', codes: otherRest, sent: ['refused', 'provider_error'] },
  ],
  polled: [
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['undelivered 30005', 'undelivered'],
    ['failed 30036', 'expired'],
  ],
  reports: {
    request: report,
    states: [
      [['accepted'], 'sent'],
      [['scheduled'], 'sent'],
      [['queued'], 'sent'],
      [['sending'], 'sent'],
      [['sent'], 'sent'],
      [['delivered'], 'delivered'],
      [['read'], 'delivered'],
      [['canceled'], 'undelivered', 'provider_error'],
      [['undelivered'], 'undelivered', 'provider_error'],
      [['failed'], 'undelivered', 'provider_error'],
      [['failed', '30003'], 'undelivered', 'unreachable'],
      // A warning about a message that was delivered.
      [['delivered', '30018'], 'delivered'],
      [['sent', '30025'], 'sent'],
    ],
  },
});

/** https://www.twilio.com/docs/usage/security */
describe('a report of Twilio', () => {
  const url = 'https://sms.example/in/twilio/token';
  const { body } = report('delivered');
  const sorted = [...new URLSearchParams(body)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const signed = createHmac('sha1', secrets.auth_token)
    .update(url + sorted.flat().join(''))
    .digest('base64');
  const isFromTwilio = (signature: string | undefined, received = body, at = url) =>
    findForgery(twilio.settings.inbound ?? {}, secrets, {
      method: 'POST',
      url: at,
      headers: { 'x-twilio-signature': signature },
      body: Buffer.from(received),
    }) === undefined;

  it('is genuine only with the signature of its address and its fields', () => {
    expect(isFromTwilio(signed)).toBe(true);
    expect(isFromTwilio(undefined)).toBe(false);
    expect(isFromTwilio(`${signed.slice(0, -4)}AAA=`)).toBe(false);
    expect(isFromTwilio(signed, body.replace('delivered', 'failed'))).toBe(false);
    expect(isFromTwilio(signed, `${body}&Extra=1`)).toBe(false);
    expect(isFromTwilio(signed, body, `${url}?x=1`)).toBe(false);
  });
});
