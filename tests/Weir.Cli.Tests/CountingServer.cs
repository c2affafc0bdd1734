using System.Collections.Concurrent;
using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

[assembly: AssemblyFixture(typeof(Weir.Cli.Tests.CountingServer))]

namespace Weir.Cli.Tests;

/// <summary>A real server on a free port that counts the requests for each path. Paths begin with the name of the test.</summary>
public sealed class CountingServer : IAsyncLifetime
{
    private readonly WebApplication _application;

    public CountingServer()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        _application = builder.Build();
        _application.Urls.Add("http://127.0.0.1:0");
        _application.Run(AnswerAsync);
    }

    /// <summary>Its address, without a slash at the end.</summary>
    public string Address => _application.Urls.Single();

    /// <summary>How often each path was requested.</summary>
    internal ConcurrentDictionary<string, int> Requests { get; } = new();

    /// <summary>What requests to a path that contains <c>wait</c> wait for.</summary>
    internal TaskCompletionSource Released { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Method, header X-Test and body of the last request to a path that ends with <c>echo</c>.</summary>
    internal string? LastEcho { get; private set; }

    public async ValueTask InitializeAsync() => await _application.StartAsync(TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        Released.TrySetResult();
        await _application.DisposeAsync();
    }

    private async Task AnswerAsync(HttpContext http)
    {
        var path = http.Request.Path.Value!;
        Requests.AddOrUpdate(path, 1, static (_, count) => count + 1);
        if (path.Contains("wait", StringComparison.Ordinal))
        {
            await Released.Task.WaitAsync(http.RequestAborted);
        }

        if (path.Contains("missing", StringComparison.Ordinal))
        {
            http.Response.StatusCode = StatusCodes.Status404NotFound;
        }

        if (path.Contains("redirect", StringComparison.Ordinal))
        {
            http.Response.Redirect("/target");
            return;
        }

        if (path.Contains("cut", StringComparison.Ordinal))
        {
            http.Response.ContentLength = 1000;
            await http.Response.WriteAsync("the beginning", http.RequestAborted);
            await http.Response.Body.FlushAsync(http.RequestAborted);
            http.Abort();
            return;
        }

        if (path.EndsWith("echo", StringComparison.Ordinal))
        {
            using var reader = new StreamReader(http.Request.Body);
            LastEcho = $"{http.Request.Method} {http.Request.Headers["X-Test"]} {await reader.ReadToEndAsync(http.RequestAborted)}";
        }

        if (path.Contains("items", StringComparison.Ordinal))
        {
            http.Response.ContentType = "application/x-ndjson";
            for (var i = 0; i < 5; i++)
            {
                await http.Response.WriteAsync(string.Create(CultureInfo.InvariantCulture, $"item {i}\n"), http.RequestAborted);
                await http.Response.Body.FlushAsync(http.RequestAborted);
            }

            return;
        }

        await http.Response.WriteAsync($"body of {path}", http.RequestAborted);
    }
}
