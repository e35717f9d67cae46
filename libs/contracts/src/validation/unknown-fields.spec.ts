import { fieldError } from '@gangan/protocol';
import { describe, expect, it, jest } from '@jest/globals';
import { RequestOtpRequest } from '../otp/otp.dto.js';
import { SendSmsRequest } from '../sms/send-sms.dto.js';
import { NameSearch } from './name-search.js';
import { findUnknownFields } from './unknown-fields.js';

const message = { recipients: ['08031234567'], content: 'Hello' };

describe('an unknown field', () => {
  it('that is similar to an absent field is an error', () => {
    expect(findUnknownFields(SendSmsRequest, { ...message, senderid: 'Acme' })).toMatchObject({
      errors: [
        {
          field: 'senderid',
          message: 'senderid is not a field of this request; did you mean sender_id?',
          type: 'unknown_field',
        },
      ],
      ignored: [],
    });
    const absent = { ...message, sender_id: null, SenderId: 'Acme' };
    expect(findUnknownFields(SendSmsRequest, absent).errors).toHaveLength(1);
  });

  it('that is similar to a given field is ignored', () => {
    const given = { ...message, sender_id: 'Acme', senderid: 'Acme' };
    expect(findUnknownFields(SendSmsRequest, given)).toMatchObject({ errors: [], ignored: ['senderid'] });
  });

  it('that is similar to a field replaced by another one is ignored', () => {
    const templated = { recipients: '08031234567', template_id: 'welcome', contact: 'Ada', context: 1 };
    expect(findUnknownFields(SendSmsRequest, templated)).toMatchObject({
      errors: [],
      ignored: ['contact', 'context'],
    });
  });

  it('that is similar to a field which is used only without another one is an error, unless that one is given', () => {
    const otp = { recipient: '08031234567', lenght: 6 };
    expect(findUnknownFields(RequestOtpRequest, otp).errors).toMatchObject([{ field: 'lenght' }]);
    expect(findUnknownFields(RequestOtpRequest, { ...otp, token: '735196' }).errors).toEqual([]);
  });

  it.each(['to', 'from', 'body', 'To', 'From', 'Body'])(
    'that is the name of an absent field in other APIs is an error: %s',
    (name) => {
      const meant = { to: 'recipients', from: 'sender_id', body: 'content' }[name.toLowerCase()] ?? '';
      const error = {
        field: name,
        message: `${name} is not a field of this request; did you mean ${meant}?`,
        type: 'unknown_field',
      };
      const reported = [fieldError(meant, '', 'missing')];
      const others = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`unrelate${index}`, 1]));
      expect(findUnknownFields(SendSmsRequest, { ...others, [name]: 'x' }, reported).errors).toEqual([error]);
      const given = { [meant]: 'y', [name]: 'x' };
      expect(findUnknownFields(SendSmsRequest, given)).toMatchObject({ errors: [], ignored: [name] });
    },
  );

  it('that is such a name is ignored if another field replaces the absent one', () => {
    const listed = { smartlist_id: 'x', template_id: 'y', to: '08031234567', body: 'Hi' };
    expect(findUnknownFields(SendSmsRequest, listed)).toMatchObject({ errors: [], ignored: ['to', 'body'] });
  });

  it('that is similar to none is ignored', () => {
    expect(findUnknownFields(SendSmsRequest, { ...message, campaign: 7, ['__proto__x']: 1 })).toMatchObject({
      errors: [],
      ignored: ['campaign', '__proto__x'],
    });
  });

  it('is found in nested objects', () => {
    const personalisation = [{ to: '08031234567', substitutionz: {} }, { note: 'x', to: '1' }, 'no object'];
    const found = findUnknownFields(SendSmsRequest, { ...message, personalisation });
    expect(found.errors.map(({ field }) => field)).toEqual(['personalisation.0.substitutionz']);
    expect(found.ignored).toEqual(['personalisation.1.note']);
  });

  it('that is named in the error of a missing field is reported once', () => {
    const reported = [fieldError('recipients', '', 'missing')];
    const given = { content: 'Hello', recipents: [] };
    expect(findUnknownFields(SendSmsRequest, given).errors).toHaveLength(1);
    expect(findUnknownFields(SendSmsRequest, given, reported)).toMatchObject({ errors: [], ignored: [] });
  });

  it('that is longer than all similar names is not searched', () => {
    const names = new NameSearch();
    const search = jest.spyOn(names, 'closest');
    const long = Object.fromEntries(
      Array.from({ length: 140 }, (_, index) => [`${index}`.padEnd(40, 'x'), 1]),
    );
    expect(findUnknownFields(SendSmsRequest, { ...message, ...long }, [], names).ignored).toHaveLength(140);
    expect(search).not.toHaveBeenCalled();
    findUnknownFields(SendSmsRequest, { ...message, senderid: 'Acme' }, [], names);
    expect(search).toHaveBeenCalledTimes(1);
  });

  it('is compared with declared fields 50 times in a request', () => {
    const others = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`unrelate${index}`, 1]));
    const found = findUnknownFields(SendSmsRequest, { ...message, ...others, senderid: 'Acme' });
    expect(found.errors).toEqual([]);
    expect(found.ignored).toHaveLength(51);
  });
});
