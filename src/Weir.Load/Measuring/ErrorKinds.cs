namespace Weir.Load.Measuring;

/// <summary>How a request can fail, as a report names it; a status is its number.</summary>
internal static class ErrorKinds
{
    public const string TimedOut = "timed out";
    public const string Refused = "connection refused";
    public const string Closed = "connection closed";
    public const string ConnectionFailed = "connection failed";
    public const string Invalid = "invalid response";
    public const string TlsFailed = "TLS failed";
    public const string NotSent = "not sent";
}
