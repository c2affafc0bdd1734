using System.Net.Sockets;
using System.Security.Authentication;
using Weir.Load.Measuring;

namespace Weir.Load.Clients;

/// <summary>What a failure of a client is called in a report.</summary>
internal static class ClientErrors
{
    public static string KindOf(Exception failure) => failure switch
    {
        HttpRequestException { HttpRequestError: HttpRequestError.ResponseEnded } or HttpIOException { HttpRequestError: HttpRequestError.ResponseEnded } => ErrorKinds.Closed,
        HttpRequestException { HttpRequestError: HttpRequestError.InvalidResponse } or HttpIOException { HttpRequestError: HttpRequestError.InvalidResponse } => ErrorKinds.Invalid,
        HttpRequestException { HttpRequestError: HttpRequestError.SecureConnectionError } or AuthenticationException => ErrorKinds.TlsFailed,
        HttpRequestException { HttpRequestError: HttpRequestError.HttpProtocolError } or HttpProtocolException => ErrorKinds.Invalid,
        SocketException { SocketErrorCode: SocketError.ConnectionRefused } => ErrorKinds.Refused,
        SocketException { SocketErrorCode: SocketError.ConnectionReset or SocketError.Shutdown or SocketError.ConnectionAborted } => ErrorKinds.Closed,
        { InnerException: { } inner } => KindOf(inner),
        _ => ErrorKinds.ConnectionFailed,
    };
}
