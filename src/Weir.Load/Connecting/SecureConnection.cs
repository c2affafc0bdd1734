using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;

namespace Weir.Load.Connecting;

/// <summary>TLS to the server.</summary>
internal static class SecureConnection
{
    /// <summary>How its certificate is checked.</summary>
    /// <param name="options">Whether any certificate is accepted.</param>
    public static SslClientAuthenticationOptions OptionsOf(LoadOptions options) => new()
    {
        RemoteCertificateValidationCallback = (_, _, chain, errors) => options.AcceptsAnyCertificate || errors == SslPolicyErrors.None ? true
            : throw new UntrustedCertificateException(Reasons(errors, chain?.ChainStatus.Select(static status => status.Status.ToString()) ?? [])),
    };

    /// <summary>
    /// Opens one connection and closes it again: a certificate that is not trusted ends a test before its begin, not as the error of every request. Throws an
    /// <see cref="HttpRequestException"/> when it cannot be opened.
    /// </summary>
    public static async Task CheckAsync(LoadOptions options, IPEndPoint server, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.Timeout);
        var client = OptionsOf(options);
        client.TargetHost = HostOf(options);
        client.ApplicationProtocols = [options.HttpVersion == HttpVersion.Version20 ? SslApplicationProtocol.Http2 : SslApplicationProtocol.Http11];
        try
        {
            await using var secured = new SslStream(await ServerConnection.OpenAsync(server, limit.Token).ConfigureAwait(false));
            await secured.AuthenticateAsClientAsync(client, limit.Token).ConfigureAwait(false);
        }
        catch (UntrustedCertificateException failure)
        {
            throw Failure($"{failure.Message}; if that is expected, set {nameof(LoadOptions.AcceptsAnyCertificate)}.", failure);
        }
        catch (Exception failure) when (failure is AuthenticationException or IOException or SocketException)
        {
            throw Failure($"TLS failed: {failure.Message} Does the server expect TLS on this port?", failure);
        }
        catch (OperationCanceledException failure) when (!cancellationToken.IsCancellationRequested)
        {
            throw Failure(FormattableString.Invariant($"no TLS within {options.Timeout.TotalSeconds:0.###} s. Does the server expect TLS on this port?"), failure);
        }

        HttpRequestException Failure(string why, Exception cause) => new(HttpRequestError.SecureConnectionError, $"{options.Address.IdnHost}:{options.Address.Port}: {why}", cause);
    }

    // As the client chooses it: a Host header names the certificate that is expected.
    private static string HostOf(LoadOptions options) =>
        options.Headers.FirstOrDefault(static header => header.Key.Equals("Host", StringComparison.OrdinalIgnoreCase)).Value is { } header
            && Uri.TryCreate($"https://{header}/", UriKind.Absolute, out var named)
            ? named.IdnHost
            : options.Address.IdnHost;

    private static string Reasons(SslPolicyErrors errors, IEnumerable<string> chain)
    {
        string[] reasons =
        [
            .. errors.HasFlag(SslPolicyErrors.RemoteCertificateNotAvailable) ? (string[])["there is none"] : [],
            .. errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch) ? (string[])["it is of another host"] : [],
            .. errors.HasFlag(SslPolicyErrors.RemoteCertificateChainErrors) ? chain : [],
        ];
        return $"the certificate of the server is not trusted ({string.Join(", ", reasons.Distinct())})";
    }
}
