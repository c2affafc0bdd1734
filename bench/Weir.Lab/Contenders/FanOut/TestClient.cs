namespace Weir.Lab.Contenders.FanOut;

/// <summary>The client that all ways on .NET use: as it comes, but for the certificate of the lab's own server.</summary>
internal static class TestClient
{
    public static HttpClient Create() => new(new SocketsHttpHandler
    {
        SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=127.0.0.1" },
    });
}
