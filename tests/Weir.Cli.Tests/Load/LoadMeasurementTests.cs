using System.Text.Json;
using Weir.Cli.Load;
using Weir.Cli.Terminal;

namespace Weir.Cli.Tests.Load;

/// <summary>What <c>weir load</c> makes of a report.</summary>
public sealed class LoadMeasurementTests : IDisposable
{
    private readonly StringWriter _output = new();
    private readonly StringWriter _error = new();

    public void Dispose()
    {
        _output.Dispose();
        _error.Dispose();
    }

    [Fact]
    public async Task The_json_object_has_the_documented_fields()
    {
        Assert.Equal(1, await RunAsync(Reports.Of(errors: 3, stream: true), json: true, open: true, "p99<10ms", "errors<10"));
        var json = JsonDocument.Parse(_output.ToString()).RootElement;
        Assert.Equal(
            ["url", "model", "connections", "targetRate", "requests", "errors", "errorsByKind", "interrupted", "unfinished", "seconds", "rate", "bytes", "items", "serviceTime", "responseTime", "lateness", "connectionWait", "firstByte", "itemGap", "generatorLate", "assertions"],
            json.EnumerateObject().Select(static property => property.Name));
        Assert.Equal((1000, 3, 498.5, 6.0, 12.0), (Number("requests"), Number("errors"), Number("rate"), P99("serviceTime"), P99("responseTime")));
        Assert.Equal((0.3, 1.0, 0.5), (P99("lateness"), P99("firstByte"), P99("itemGap")));
        Assert.Equal(["count", "p50", "p90", "p99", "p999", "max"], json.GetProperty("responseTime").EnumerateObject().Select(static property => property.Name));
        Assert.Equal([false, true], json.GetProperty("assertions").EnumerateArray().Select(static assertion => assertion.GetProperty("holds").GetBoolean()));
        Assert.Equal("weir: --assert 'p99<10ms' does not hold: p99 is 12.0 ms, 2.00 ms above 10.0 ms\n", _error.ToString());

        double Number(string name) => json.GetProperty(name).GetDouble();
        double P99(string name) => json.GetProperty(name).GetProperty("p99").GetDouble();
    }

    [Fact]
    public async Task People_see_service_time_and_response_time_and_how_late_the_generator_was()
    {
        Assert.Equal(0, await RunAsync(Reports.Of(stream: true), json: false, open: true));
        var text = _output.ToString();
        Assert.Contains("open model: 500 requests/s on up to 50 connections", text, StringComparison.Ordinal);
        Assert.Matches("service time +│? *1.50 ms +│? *3.00 ms +│? *6.00 ms", text);
        Assert.Matches("response time, from the intended start +│? *3.00 ms +│? *6.00 ms +│? *12.0 ms", text);
        Assert.Contains("1,000 requests in 2.0 s: 500/s succeeded, 0 errors, 3.0 MB received", text, StringComparison.Ordinal);
        Assert.Contains("generator late by p50 0.08 ms, p99 0.30 ms, max 1.20 ms", text, StringComparison.Ordinal);
        Assert.Equal("", _error.ToString());
    }

    [Fact]
    public async Task The_closed_model_says_that_it_cannot_be_late()
    {
        Assert.Equal(0, await RunAsync(Reports.Of(lateness: 0), json: false, open: false));
        Assert.Contains("generator late by 0.00 ms", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_late_generator_says_that_the_figures_are_its_own()
    {
        Assert.Equal(0, await RunAsync(Reports.Of(lateness: 11), json: false, open: true));
        Assert.Contains("weir: the generator was late by 11.0 ms at p99: these figures describe the generator, not the server.", _error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_test_without_success_fails_with_the_kinds_of_its_errors()
    {
        Assert.Equal(1, await RunAsync(Reports.Of(errors: 1000), json: false, open: false));
        Assert.Contains("weir: none of 1000 requests succeeded: 1000 × status 503", _error.ToString(), StringComparison.Ordinal);
        Assert.Contains("1,000 × status 503", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_cannot_be_reached_is_a_wrong_input()
    {
        var measurement = Measurement(json: false, open: false, [], static (_, _, _) => throw new HttpRequestException("Connection refused (127.0.0.1:1)"));
        Assert.Equal("http://127.0.0.1:1/ cannot be reached: Connection refused (127.0.0.1:1)", (await Assert.ThrowsAsync<InputException>(() => measurement.RunAsync(CancellationToken.None))).Message);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_interrupted_test_shows_its_figures_and_judges_no_assertion(bool json)
    {
        Assert.Equal(130, await RunAsync(Reports.Of(errors: 3, isStopped: true), json, open: true, "p99<10ms", "errors<10"));
        Assert.Equal("weir: interrupted after 2.0 s: the figures are those until then, without 50 requests that had not ended; no assertion is judged\n", _error.ToString());
        if (!json)
        {
            Assert.Contains("1,000 requests in 2.0 s", _output.ToString(), StringComparison.Ordinal);
            return;
        }

        var report = JsonDocument.Parse(_output.ToString()).RootElement;
        Assert.Equal((true, 50, 1000), (report.GetProperty("interrupted").GetBoolean(), report.GetProperty("unfinished").GetInt64(), report.GetProperty("requests").GetInt64()));
        Assert.All(report.GetProperty("assertions").EnumerateArray(), static assertion => Assert.Equal(JsonValueKind.Null, assertion.GetProperty("holds").ValueKind));
    }

    [Fact]
    public async Task An_interrupted_test_without_a_success_is_an_interrupted_test()
    {
        Assert.Equal(130, await RunAsync(Reports.Of(requests: 0, isStopped: true), json: false, open: false));
        Assert.DoesNotContain("none of", _error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_test_that_is_interrupted_before_it_begins_has_no_figures()
    {
        using var interrupted = new CancellationTokenSource();
        await interrupted.CancelAsync();
        Assert.Equal(130, await Measurement(json: true, open: false, [], static (_, _, token) => Task.FromCanceled<LoadReport>(token)).RunAsync(interrupted.Token));
        Assert.Equal("", _output.ToString());
    }

    [Fact]
    public void The_line_of_progress_has_the_rate_of_the_last_notice()
    {
        var shown = new List<string>();
        var line = new LoadProgressLine(new LoadOptions { Address = new Uri("http://host/"), Duration = TimeSpan.FromSeconds(10) }, static () => 80, shown.Add);
        line.Report(new LoadProgress(TimeSpan.FromSeconds(1), 1000, 0, 1_000_000));
        line.Report(new LoadProgress(TimeSpan.FromSeconds(1.5), 2000, 1, 3_000_000));
        Assert.Equal(["1,000 requests  1,000 requests/s  1.0 MB/s  0 errors  9 s left", "2,000 requests  2,000 requests/s  4.0 MB/s  1 error  9 s left"], shown);
    }

    [Fact]
    public void At_no_width_the_line_of_progress_is_wrapped()
    {
        foreach (var width in Enumerable.Range(0, 100))
        {
            var shown = "";
            new LoadProgressLine(new LoadOptions { Address = new Uri("http://host/") }, () => width, line => shown = line).Report(new LoadProgress(TimeSpan.FromSeconds(1), 123_456, 10, 900_000_000));
            Assert.InRange(shown.Length, Math.Min(width, 10), width);
            Assert.Equal(width >= 37, shown.Contains("9 s left", StringComparison.Ordinal));
        }
    }

    [Fact]
    public void With_a_number_of_requests_the_line_has_the_time_that_they_still_take()
    {
        var shown = new List<string>();
        new LoadProgressLine(new LoadOptions { Address = new Uri("http://host/"), Requests = 5000 }, static () => 80, shown.Add).Report(new LoadProgress(TimeSpan.FromSeconds(1), 1000, 0, 0));
        Assert.Equal(["1,000/5,000 requests  1,000 requests/s  0.0 MB/s  0 errors  4 s left"], shown);
    }

    private Task<int> RunAsync(LoadReport report, bool json, bool open, params string[] assertions) =>
        Measurement(json, open, assertions, (_, _, _) => Task.FromResult(report)).RunAsync(CancellationToken.None);

    private LoadMeasurement Measurement(bool json, bool open, string[] assertions, Func<LoadOptions, IProgress<LoadProgress>?, CancellationToken, Task<LoadReport>> measure) => new(
        new LoadOptions { Address = new Uri("http://127.0.0.1:1/"), Rate = open ? 500 : null, IsStream = true },
        [.. Assertion.ParseAll(assertions)],
        json,
        new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = _output, Error = _error })
    {
        Measure = measure,
    };
}
