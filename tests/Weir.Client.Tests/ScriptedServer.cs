using System.Net.Sockets;
using System.Text;

namespace Weir.Client.Tests;

/// <summary>Answers each request with the next answer of a script, and closes the connection; <c>null</c> closes it without an answer. After the script the last answer is repeated.</summary>
internal sealed class ScriptedServer : LoopbackServer
{
    private readonly byte[]?[] _script;
    private readonly List<string> _requests = [];

    internal ScriptedServer(params byte[]?[] script)
    {
        _script = script;
        Http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{Start()}/api"), Timeout = TimeSpan.FromSeconds(30) };
    }

    internal HttpClient Http { get; }

    /// <summary>The requests that came, each with its headers and its body.</summary>
    internal string[] Requests
    {
        get
        {
            lock (_requests)
            {
                return [.. _requests];
            }
        }
    }

    /// <summary>The first line of each request, without the version.</summary>
    internal string[] Lines => [.. Requests.Select(static request => request[..request.IndexOf(" HTTP/", StringComparison.Ordinal)])];

    /// <summary>The value of a header of each request; empty where it has none.</summary>
    internal string[] Header(string name) => [.. Requests.Select(request => request.Split("\r\n").FirstOrDefault(line => line.StartsWith(name + ": ", StringComparison.OrdinalIgnoreCase))?[(name.Length + 2)..] ?? "")];

    public override ValueTask DisposeAsync()
    {
        Http.Dispose();
        return base.DisposeAsync();
    }

    protected override async Task ServeAsync(Socket client)
    {
        using (client)
        {
            try
            {
                var request = await ReceiveAsync(client);
                byte[]? answer;
                lock (_requests)
                {
                    answer = _script[Math.Min(_requests.Count, _script.Length - 1)];
                    _requests.Add(request);
                }

                if (answer is not null)
                {
                    await client.SendAsync(answer, Stopping);
                }

                client.Shutdown(SocketShutdown.Send);
                while (await client.ReceiveAsync(new byte[1024], Stopping) > 0)
                {
                }
            }
            catch (Exception error) when (error is SocketException or OperationCanceledException)
            {
                // The client has left.
            }
        }
    }

    private async Task<string> ReceiveAsync(Socket client)
    {
        var text = new StringBuilder();
        var buffer = new byte[4096];
        while (!IsWhole(text.ToString()))
        {
            var count = await client.ReceiveAsync(buffer, Stopping);
            if (count == 0)
            {
                throw new OperationCanceledException();
            }

            text.Append(Encoding.Latin1.GetString(buffer, 0, count));
        }

        return text.ToString();
    }

    private static bool IsWhole(string request)
    {
        var end = request.IndexOf("\r\n\r\n", StringComparison.Ordinal);
        var length = request.Split("\r\n").FirstOrDefault(static line => line.StartsWith("Content-Length: ", StringComparison.OrdinalIgnoreCase))?[16..];
        return end >= 0 && request.Length >= end + 4 + int.Parse(length ?? "0", System.Globalization.CultureInfo.InvariantCulture);
    }
}
