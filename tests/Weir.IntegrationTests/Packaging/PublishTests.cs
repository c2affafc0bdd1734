using System.Globalization;
using System.Net;
using System.Text;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Packaging;

/// <summary>
/// An application does everything in every mode in which it can be published. Two modes differ most from what other tests run, a native
/// program and a self-contained single file; the others are only asked for with the soaks.
/// </summary>
[Collection(nameof(Publishing))]
public sealed class PublishTests(PublishedApplications published) : IClassFixture<PublishedApplications>
{
    private const double Soon = 30;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(PublishMode.Native)]
    [InlineData(PublishMode.SingleFile)]
    public Task A_published_application_serves_streams_and_isolates(PublishMode mode) => ServeAsync(mode);

    [Theory, Trait("Kind", "Long")]
    [InlineData(PublishMode.FrameworkDependent)]
    [InlineData(PublishMode.FrameworkDependentSingleFile)]
    [InlineData(PublishMode.SelfContained)]
    [InlineData(PublishMode.Trimmed)]
    public Task An_application_published_otherwise_does_the_same(PublishMode mode) => ServeAsync(mode);

    [Theory]
    [InlineData(PublishMode.Native)]
    [InlineData(PublishMode.SingleFile)]
    public Task The_end_of_a_worker_is_explained(PublishMode mode) => ExplainAsync(mode);

    [Theory, Trait("Kind", "Long")]
    [InlineData(PublishMode.FrameworkDependentSingleFile)]
    [InlineData(PublishMode.SelfContained)]
    [InlineData(PublishMode.Trimmed)]
    public Task The_end_of_a_worker_that_is_published_otherwise_is_explained(PublishMode mode) => ExplainAsync(mode);

    [Theory]
    [InlineData(PublishMode.Native)]
    [InlineData(PublishMode.SingleFile)]
    public async Task A_worker_in_another_language_is_started_through_the_published_executable(PublishMode mode)
    {
        Workers.Interpreters.Require("python3", "python3");
        await using var application = await StartAsync(
            mode,
            "--Weir:Pools:python:Command:0=python3",
            $"--Weir:Pools:python:Command:1={Path.Combine(RepositoryRoot.Path, "tests/Weir.IntegrationTests/Packaging/Published/text.py")}",
            $"--Weir:Pools:python:Command:2={Path.Combine(RepositoryRoot.Path, "workers/python")}");

        var answer = await application.Client.GetStringAsync("Text/Shout?text=ada", Token);

        Assert.StartsWith("ADA ", answer, StringComparison.Ordinal);
        Assert.Contains(answer[4..], application.Workers().Select(static pid => $"{pid}"));
    }

    [Theory]
    [InlineData(PublishMode.Native)]
    [InlineData(PublishMode.SingleFile)]
    public async Task A_published_application_sends_many_requests_within_its_limits(PublishMode mode)
    {
        await using var application = await StartAsync(mode);
        Assert.Equal("210 210, at most 2 in flight", await application.Client.GetStringAsync($"Fetcher/Many?address={application.Client.BaseAddress}", Token));
    }

    [Theory]
    [InlineData(PublishMode.Native)]
    [InlineData(PublishMode.SingleFile)]
    public async Task A_published_application_calls_a_service_through_its_generated_client(PublishMode mode)
    {
        await using var application = await StartAsync(mode);
        Assert.Equal("assam Strong 2+6, 1000 pots, There is no tea.", await application.Client.GetStringAsync($"Caller/Call?address={application.Client.BaseAddress}", Token));
    }

    [Fact]
    public async Task A_native_application_runs_without_dotnet_and_limits_its_workers()
    {
        await using var application = await StartAsync(
            PublishMode.Native, new Dictionary<string, string> { ["PATH"] = "/nowhere", ["DOTNET_ROOT"] = "/nowhere" },
            $"--Weir:Pools:remote:MemoryLimitBytes={256 << 20}", "--Weir:Pools:remote:CpuLimit=1");

        Assert.Equal("server=False concurrent=Batch processors=1 heap=192 jit=False", await application.Client.GetStringAsync("Remote/Runtime", Token));
        Assert.DoesNotContain(published.FilesOf(PublishMode.Native), static name => name.EndsWith(".dll", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_program_that_was_started_as_a_worker_by_something_else_says_so()
    {
        var executable = await published.PublishAsync(PublishMode.SingleFile);
        using var process = System.Diagnostics.Process.Start(new System.Diagnostics.ProcessStartInfo(executable, ["--weir-worker", "--what"]) { RedirectStandardError = true })!;
        var error = await process.StandardError.ReadToEndAsync(Token);
        await process.WaitForExitAsync(Token);

        Assert.Equal(64, process.ExitCode);
        Assert.Contains("--weir-worker --host <pid>", error, StringComparison.Ordinal);
    }

    private async Task ServeAsync(PublishMode mode)
    {
        await using var application = await StartAsync(mode, "--Weir:Pools:remote:MaxWorkers=1");
        var client = application.Client;

        // 1. In the host: inline, streamed, on the lane.
        Assert.Equal("Hello, Ada", await client.GetStringAsync("Greeter/Hello?name=Ada", Token));
        Assert.Equal("1\n2\n3\n", await client.GetStringAsync("Greeter/Count.ndjson?to=3", Token));
        Assert.Equal("done", await client.GetStringAsync("Greeter/Legacy?ms=1", Token));
        Assert.Equal($"{application.Pid}", await client.GetStringAsync("Greeter/WhoAmI", Token));

        // Behind an endpoint filter: its factory finds a parameter by name, and it replaces an argument and a result.
        Assert.Equal("Hello, Ada! from Hello", await client.GetStringAsync("filtered/Greeter/Hello?name=Ada", Token));
        Assert.Equal("1\n2\n3\n", await client.GetStringAsync("filtered/Greeter/Count.ndjson?to=3", Token));
        using var forbidden = await client.GetAsync("filtered/Greeter/Hello?name=stranger", Token);
        Assert.Equal(HttpStatusCode.Forbidden, forbidden.StatusCode);

        // 2. In workers: a result, a stream, objects, bytes, services of the worker's own.
        var worker = int.Parse(await client.GetStringAsync("Remote/WhoAmI", Token), System.Globalization.CultureInfo.InvariantCulture);
        Assert.Contains(worker, application.Workers());
        Assert.Equal(mode != PublishMode.FrameworkDependent, ProcFiles.Arguments(worker).Contains("--weir-worker", StringComparison.Ordinal));
        Assert.Equal("1\n2\n3\n", await client.GetStringAsync("Remote/Count.ndjson?to=3", Token));
        Assert.Equal("""{"name":"tea","amount":4}""", await TextAsync(await PostAsync(client, "Remote/Double", """{"name":"tea","amount":2}""", "application/json")));
        Assert.Equal("cba", await TextAsync(await PostAsync(client, "Remote/Reverse", "abc", "application/octet-stream")));
        Assert.StartsWith("clock in ", await client.GetStringAsync("Clocks/Read", Token), StringComparison.Ordinal);
        Assert.True(await ProcFiles.EventuallyAsync(() => application.Output.Contains("read by clock", StringComparison.Ordinal), TimeSpan.FromSeconds(Soon)));
        var failed = await client.PostAsync("Remote/Fail", null, Token);
        Assert.Equal(HttpStatusCode.InternalServerError, failed.StatusCode);

        // 3. A killed worker: its call fails, the next one has a new worker.
        using var process = System.Diagnostics.Process.GetProcessById(worker);
        var used = process.TotalProcessorTime;
        var looping = client.PostAsync("Remote/Loop", null, Token);
        Assert.True(await ProcFiles.EventuallyAsync(() => LoopsSince(process, used), TimeSpan.FromSeconds(Soon)));
        Assert.Equal(0, Signals.Send(worker, Signals.Kill));
        Assert.Equal(HttpStatusCode.BadGateway, (await looping).StatusCode);
        Assert.NotEqual($"{worker}", await client.GetStringAsync("Remote/WhoAmI", Token));

        // 4. The host ends when it is asked to, and so do its workers.
        var workers = application.Workers();
        Assert.NotEmpty(workers);
        Assert.Equal(0, await application.TerminateAsync());
        Assert.All(workers, static pid => Assert.False(ProcFiles.IsRunning(pid)));

        // 5. If it is killed, no worker remains either.
        await using var killed = await StartAsync(mode);
        using var victim = System.Diagnostics.Process.GetProcessById(int.Parse(await killed.Client.GetStringAsync("Remote/WhoAmI", Token), CultureInfo.InvariantCulture));
        var idle = victim.TotalProcessorTime;
        _ = SwallowAsync(killed.Client.PostAsync("Remote/Loop", null, Token));
        Assert.True(await ProcFiles.EventuallyAsync(() => LoopsSince(victim, idle), TimeSpan.FromSeconds(Soon)));
        workers = killed.Workers();
        await killed.KillAsync();
        Assert.True(await ProcFiles.EventuallyAsync(() => !workers.Any(ProcFiles.IsRunning), TimeSpan.FromSeconds(Soon)));
    }

    // Only a call that has started is lost with its worker; one that has not moves to the next.
    private static bool LoopsSince(System.Diagnostics.Process process, TimeSpan used)
    {
        process.Refresh();
        return process.TotalProcessorTime > used + TimeSpan.FromMilliseconds(200);
    }

    private async Task ExplainAsync(PublishMode mode)
    {
        await using var application = await StartAsync(mode, $"--Weir:Pools:remote:MemoryLimitBytes={256 << 20}");

        // A native program prints nothing at a stack overflow.
        (string Operation, string Cause)[] ends =
        [
            ("FailFast", "it ended itself (FailFast)"),
            ("Unhandled", "unhandled exception: System.InvalidOperationException"),
            ("Overflow?depth=0", mode == PublishMode.Native ? "SIGSEGV" : "stack overflow"),
            ("Segv", "SIGSEGV"),
            ("EatMemory", "out of memory"),
        ];

        Assert.Equal(ends.Select(static end => end.Cause), await Task.WhenAll(ends.Select(end => CauseAsync(end.Operation, end.Cause))));

        async Task<string> CauseAsync(string operation, string expected)
        {
            using var response = await application.Client.PostAsync($"Remote/{operation}", null, Token).WithinAsync(Soon);
            var text = await TextAsync(response);
            return response.StatusCode == HttpStatusCode.BadGateway && text.Contains(expected, StringComparison.Ordinal) ? expected : $"{operation}: {(int)response.StatusCode} {text}";
        }
    }

    private Task<ShowcaseProcess> StartAsync(PublishMode mode, params string[] arguments) => StartAsync(mode, new Dictionary<string, string>(), arguments);

    private async Task<ShowcaseProcess> StartAsync(PublishMode mode, Dictionary<string, string> environment, params string[] arguments)
    {
        var executable = await published.PublishAsync(mode);

        // The python pool needs its command in every run: a service without a class is an error without one.
        return await ShowcaseProcess.StartAsync(["--Weir:Pools:python:MinWorkers=0", "--Weir:Pools:python:Command:0=python3", .. arguments], environment, executable);
    }

    private static async Task<HttpResponseMessage> PostAsync(HttpClient client, string path, string body, string type)
    {
        using var content = new StringContent(body, Encoding.UTF8, type);
        return await client.PostAsync(path, content, Token);
    }

    private static Task<string> TextAsync(HttpResponseMessage response) => response.Content.ReadAsStringAsync(Token);

    private static async Task SwallowAsync(Task<HttpResponseMessage> request)
    {
        try
        {
            (await request).Dispose();
        }
        catch (HttpRequestException)
        {
            // The host was killed.
        }
    }
}
