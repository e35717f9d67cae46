import {
  findOtp,
  listOtpsOfRecipient,
  OtpsOfRecipientRequest,
  requestOtp,
  RequestOtpRequest,
  resendOtp,
  ResendOtpFields,
  revokeOtp,
  verifyOtp,
  VerifyOtpRequest,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { BodyOrQuery, PathOrQuery } from '../http/routes/route-inputs.js';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag, Undocumented } from '../openapi/decorators.js';

@Controller('otp')
@ApiTag('OTP', 'Send and verify one-time passwords')
export class OtpController {
  constructor(private readonly queue: QueueClient) {}

  @Post('request_token')
  @Scope('otp:write')
  @ApiOperation(requestOtp, {
    summary: 'Send a one-time password',
    description:
      'Charged like a message; a number without a price gets 400 `no_price`. Responds when the OTP is stored for delivery. No response contains the token. With `fallback_channels`, the same token is sent on another channel if the first message fails or is not delivered in time; each message is charged. By default, at most five messages with OTPs are sent to one number in ten minutes, and at most fifty to numbers that differ only in their last four digits, unless a fifth of them are verified. An organisation may have other limits, and may restrict the countries and types of numbers.',
    errors: [402],
  })
  request(@Body() request: RequestOtpRequest) {
    return this.queue.send(requestOtp, request);
  }

  @Post('verify')
  @Scope('otp:write')
  @ApiOperation(verifyOtp, {
    summary: 'Verify a one-time password',
    description:
      'Returns the record if the token is correct, and responds 409 if the OTP was verified before. A wrong token is 400 with the type `token_mismatch` and the number of attempts left: five in total, or three for a token of four characters. The last wrong attempt ends the OTP with 429. An OTP that has expired, was revoked or could not be delivered is also 400. Fifteen wrong tokens for one recipient within an hour, over all OTPs, are 429.',
    errors: [404],
  })
  verify(@Body() request: VerifyOtpRequest) {
    return this.queue.send(verifyOtp, request);
  }

  @Get('get-by-recipient')
  @Scope('otp:read')
  @ApiOperation(listOtpsOfRecipient, {
    summary: 'List the OTPs of a recipient',
    description:
      'Returns all stored OTPs, newest first. The number may have any notation; an unknown number has an empty list. Send it in the query, in a JSON body (if it is in both, they must be equal), or as the last segment of the path.',
  })
  list(@BodyOrQuery() request: OtpsOfRecipientRequest) {
    return this.queue.send(listOtpsOfRecipient, request);
  }

  /** The same operation with the number in the path. */
  @Get('get-by-recipient/:recipient')
  @Scope('otp:read')
  @Undocumented()
  listByPath(@PathOrQuery() request: OtpsOfRecipientRequest) {
    return this.queue.send(listOtpsOfRecipient, request);
  }

  @Get(':id')
  @Scope('otp:read')
  @ApiOperation(findOtp, {
    summary: 'Read an OTP',
    description: 'Returns its state, including whether it has expired, and the messages that were sent.',
  })
  find(@Param('id') id: string) {
    return this.queue.send(findOtp, { id });
  }

  @Post(':id/resend')
  @Scope('otp:write')
  @ApiOperation(resendOtp, {
    summary: 'Send an OTP again',
    description:
      'Sends the same token in a further message, which is charged and counts on the limits of `POST /otp/request_token`. The OTP expires when it would have expired without it. An OTP that has ended or is about to expire gets 400, one that is verified 409.',
    errors: [402],
  })
  resend(@Param('id') id: string, @Body() fields: ResendOtpFields) {
    return this.queue.send(resendOtp, Object.assign(fields, { id }));
  }

  @Delete(':id')
  @Scope('otp:write')
  @ApiOperation(revokeOtp, {
    summary: 'Revoke an OTP',
    description:
      'Its token is no longer accepted. An OTP that has already ended keeps its state, which the response contains.',
  })
  revoke(@Param('id') id: string) {
    return this.queue.send(revokeOtp, { id });
  }
}
