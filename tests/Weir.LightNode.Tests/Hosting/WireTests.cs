using System.Text;

namespace Weir.LightNode.Tests.Hosting;

/// <summary>
/// Tests that send the same requests to an operation that runs in the host and to its isolated twin, and expect the same answer. Paths
/// are those of the service in the host.
/// </summary>
public abstract class WireTests(LightNodeApplication application, Placement placement)
{
    private protected const string Form = "application/x-www-form-urlencoded";
    private protected const string Json = "application/json";
    private protected const string Text = "text/plain; charset=utf-8";

    private protected LightNodeApplication Application => application;

    private protected bool IsIsolated => placement == Placement.Isolated;

    private protected string Twin(string name) => IsIsolated ? "Isolated" + name : name;

    private protected Task<Answer> GetAsync(string path, params string[] headers) => SendAsync("GET", path, null, null, headers);

    private protected Task<Answer> PostAsync(string path, string? mediaType, string body, params string[] headers) => SendAsync("POST", path, mediaType, body, headers);

    private protected Task<Answer> SendAsync(string verb, string path, params string[] headers) => SendAsync(verb, path, null, null, headers);

    private protected Task<Answer> SendAsync(string verb, string path, string? mediaType, string? body, params string[] headers) =>
        SendAsync(application, verb, path, mediaType, body, headers);

    /// <summary>Sends a request exactly as it is written.</summary>
    private protected async Task<Answer> SendAsync(LightNodeApplication to, string verb, string path, string? mediaType, string? body, params string[] headers)
    {
        var address = new Uri(to.Address.GetLeftPart(UriPartial.Authority) + Placed(path), new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
        using var request = new HttpRequestMessage(new HttpMethod(verb), address);
        if (body is not null)
        {
            request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
            request.Content.Headers.TryAddWithoutValidation("Content-Type", mediaType);
        }

        foreach (var header in headers)
        {
            var name = header[..header.IndexOf(':', StringComparison.Ordinal)];
            request.Headers.TryAddWithoutValidation(name, header[(name.Length + 1)..].Trim());
        }

        using var response = await to.Client.SendAsync(request, TestContext.Current.CancellationToken);
        return await Answer.ReadAsync(response);
    }

    /// <summary>The path of the twin that is tested: the first word is the service's name.</summary>
    private protected string Placed(string path) => path.TrimStart('/') is { Length: > 0 } rest ? path[..^rest.Length] + Twin(rest) : path;
}
