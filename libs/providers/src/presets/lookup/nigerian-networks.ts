/** Nigerian networks by MCC and MNC (ITU E.212), spelt as for airtime. The names of providers differ. */
export const nigerianNetworks = {
  '62120': 'Airtel',
  '62130': 'MTN',
  '62140': 'NTEL',
  '62150': 'Glo',
  '62160': '9mobile',
  '*': null,
};
