import {
  findOtp,
  listOtpsOfRecipient,
  type OtpRecord,
  OtpsOfRecipientRequest,
  requestOtp,
  RequestOtpRequest,
  revokeOtp,
  verifyOtp,
  VerifyOtpRequest,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../http/access.js';
import { BodyOrQuery, PathOrQuery } from '../http/merged-fields.js';
import { Answers, DescribedIn, Undocumented } from '../openapi/answers.js';

@Controller('otp')
@DescribedIn('OTP', 'Send one-time passwords, and verify them')
export class OtpController {
  constructor(private readonly queue: QueueClient) {}

  @Post('request_token')
  @Scope('otp:write')
  @Answers(requestOtp, {
    summary: 'Send a one-time password',
    description:
      'Charges for it like for a message and answers once it is on its way. The token itself is in no answer. Five OTPs may be sent to one number in ten minutes, and fifty to numbers that differ in their last four digits only, unless a fifth of them are verified; an organisation may have other limits, and may narrow the countries and types of numbers it sends to.',
    refuses: [402],
  })
  request(@Body() request: RequestOtpRequest): Observable<OtpRecord> {
    return this.queue.send(requestOtp, request);
  }

  @Post('verify')
  @Scope('otp:write')
  @Answers(verifyOtp, {
    summary: 'Verify a one-time password',
    description:
      'Answers with the record when the token is right, once; after that with 409. A wrong token is 400 with the type `token_mismatch` and the attempts that are left: five in all, three for a token of four characters. The last one ends the OTP with 429. An OTP that has expired, was revoked or could not be delivered is 400 too. Fifteen wrong tokens for one recipient in an hour, over all its OTPs, are 429.',
    refuses: [404],
  })
  verify(@Body() request: VerifyOtpRequest): Observable<OtpRecord> {
    return this.queue.send(verifyOtp, request);
  }

  @Get('get-by-recipient')
  @Scope('otp:read')
  @Answers(listOtpsOfRecipient, {
    summary: 'List the OTPs of a recipient',
    description:
      'Newest first, all that are kept. The number may be spelt in any way; one that nothing was sent to has an empty list. It stands in the query, or in a JSON body although the method is GET (both must agree), or as a last segment of the path.',
  })
  list(@BodyOrQuery() request: OtpsOfRecipientRequest): Observable<OtpRecord[]> {
    return this.queue.send(listOtpsOfRecipient, request);
  }

  /** The same, for callers who append the number to the path. */
  @Get('get-by-recipient/:recipient')
  @Scope('otp:read')
  @Undocumented()
  listByPath(@PathOrQuery() request: OtpsOfRecipientRequest): Observable<OtpRecord[]> {
    return this.queue.send(listOtpsOfRecipient, request);
  }

  @Get(':id')
  @Scope('otp:read')
  @Answers(findOtp, {
    summary: 'Read an OTP',
    description: 'Tells what became of it. That it has expired shows from then on.',
  })
  find(@Param('id') id: string): Observable<OtpRecord> {
    return this.queue.send(findOtp, { id });
  }

  @Delete(':id')
  @Scope('otp:write')
  @Answers(revokeOtp, {
    summary: 'Revoke an OTP',
    description:
      'From then on no token of it is accepted. One that has ended stays as it ended, and the answer tells how.',
  })
  revoke(@Param('id') id: string): Observable<OtpRecord> {
    return this.queue.send(revokeOtp, { id });
  }
}
