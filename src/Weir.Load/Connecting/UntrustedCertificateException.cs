using System.Security.Authentication;

namespace Weir.Load.Connecting;

/// <summary>A certificate is not trusted; the message says why.</summary>
internal sealed class UntrustedCertificateException(string message) : AuthenticationException(message);
