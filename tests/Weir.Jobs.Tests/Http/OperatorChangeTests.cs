using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Weir.Jobs.Tests.Http;

/// <summary>What an operator changes is in the log, and only what the operator has seen is changed.</summary>
public sealed class OperatorChangeTests : IAsyncLifetime
{
    private readonly AuditLog _log = new();
    private HttpHost _host = null!;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _host = await HttpHost.StartAsync(new() { Services = services => services.AddSingleton<ILoggerProvider>(_log) });

    public ValueTask DisposeAsync() => _host.DisposeAsync();

    [Theory]
    [InlineData("POST", "/retry", null)]
    [InlineData("POST", "/cancel", null)]
    [InlineData("PUT", "/arguments", """{"word":"other"}""")]
    [InlineData("DELETE", "", null)]
    public async Task A_job_that_is_in_another_state_than_was_seen_is_not_changed(string verb, string path, string? json)
    {
        var address = await _host.SubmitAsync("Controlled/FailsUnless", """{"word":"wrong"}""");
        await _host.EndAsync(address);
        using var refused = await SendAsync("?state=ready");
        Assert.Equal(409, (int)refused.StatusCode);
        var problem = await HttpHost.JsonAsync(refused);
        Assert.Equal((WeirCodes.JobWithoutResult, true), (problem.GetProperty("code").GetString(), problem.GetProperty("detail").GetString()!.Contains("is failed now and was seen as ready", StringComparison.Ordinal)));
        Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await SendAsync("?state=over")));
        Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await SendAsync("?state=failed&state=failed")));
        using var arguments = await _host.GetAsync($"{address}/arguments", HttpHost.Operator);
        Assert.Equal("""{"word":"wrong"}""", await arguments.Content.ReadAsStringAsync(Ct));
        using var changed = await SendAsync("?state=Failed");
        Assert.True(changed.IsSuccessStatusCode, $"{changed.StatusCode}");

        Task<HttpResponseMessage> SendAsync(string query) => _host.SendAsync(new HttpMethod(verb), address + path + query, HttpHost.Operator, json);
    }

    [Fact]
    public async Task A_retry_of_a_job_that_was_begun_again_and_has_succeeded_since_makes_no_second_one()
    {
        var address = await _host.SubmitAsync("Controlled/FailsUnless", """{"word":"wrong"}""");
        await _host.EndAsync(address);
        using var edited = await _host.SendAsync(HttpMethod.Put, $"{address}/arguments", HttpHost.Operator, """{"word":"right"}""");
        using var first = await _host.PostAsync($"{address}/retry?state=failed", HttpHost.Operator);
        Assert.Equal(202, (int)first.StatusCode);
        await _host.EndAsync(address);
        Assert.Equal((409, WeirCodes.JobWithoutResult), await HttpHost.ProblemAsync(await _host.PostAsync($"{address}/retry?state=failed", HttpHost.Operator)));
        Assert.Single(await _host.Jobs.ListAsync(new JobQuery { Kind = "Controlled/FailsUnless" }, Ct));
    }

    [Theory]
    [InlineData(null, HttpHost.Operator, true)]
    [InlineData("ann", HttpHost.Operator, true)]
    [InlineData("ann", "ann", false)]
    [InlineData(HttpHost.Operator, HttpHost.Operator, false)]
    [InlineData(null, null, false)]
    [InlineData(null, "bob", false)]
    public async Task A_cancellation_is_in_the_log_where_an_operator_cancels_what_is_not_its_own(string? owner, string? caller, bool isLogged)
    {
        var address = await _host.SubmitAsync("Answers/Gated", """{"gate":"audited"}""", owner);
        await _host.StateAsync(address, "running", owner);
        using var cancelled = await _host.PostAsync($"{address}/cancel", caller);
        Assert.True(cancelled.IsSuccessStatusCode);
        var id = address[(address.LastIndexOf('/') + 1)..];
        Assert.Equal(isLogged ? [$"olga at 127.0.0.1 asks to cancel job {id}.", $"olga at 127.0.0.1, cancel job {id}: It is done."] : [], _log.Lines);
    }

    [Fact]
    public async Task A_change_that_is_refused_is_in_the_log_with_its_status()
    {
        var address = await _host.SubmitAsync("Answers/Gated", """{"gate":"refused"}""");
        await _host.StateAsync(address, "running");
        using var refused = await _host.PostAsync($"{address}/cancel?state=ready", HttpHost.Operator);
        using var retried = await _host.PostAsync($"{address}/retry", HttpHost.Operator);
        var id = address[(address.LastIndexOf('/') + 1)..];
        Assert.Equal([$"olga at 127.0.0.1, cancel job {id}: It is refused with 409.", $"olga at 127.0.0.1, retry job {id}: It is refused with 409."], _log.Lines.Where(static line => !line.Contains("asks", StringComparison.Ordinal)));
    }

    private sealed class AuditLog : ILoggerProvider, ILogger
    {
        private readonly ConcurrentQueue<string> _lines = [];

        public IReadOnlyCollection<string> Lines => _lines;

        public ILogger CreateLogger(string categoryName) => categoryName == "Weir.Audit" ? this : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) => _lines.Enqueue(formatter(state, exception));

        public void Dispose()
        {
        }
    }
}
