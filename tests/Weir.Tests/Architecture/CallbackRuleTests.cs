namespace Weir.Tests.Architecture;

/// <summary>Every callback of the host is guarded as a whole.</summary>
public class CallbackRuleTests
{
    // The worker's process is not in the list: a defect of Weir there ends the process, and the host reports that like any other exit.
    private static readonly string[] HostProjects = ["src/Weir.Abstractions/", "src/Weir.Protocol/", "src/Weir.Execution/", "src/Weir.AspNetCore/"];

    // Files that may make the raw call, and why no exception can escape there.
    private static readonly Dictionary<string, string> Exceptions = new()
    {
        ["src/Weir.Execution/Threading/Callbacks.cs"] = "the guard itself",
        ["src/Weir.Abstractions/Runtime/Calls/Call.cs"] = "continues the code that awaits the call, whose exceptions are its own",
        ["src/Weir.AspNetCore/Streaming/FlushTicker.cs"] = "its tick catches everything",
        ["src/Weir.AspNetCore/Streaming/ShutdownCut.cs"] = "its callback catches everything",
        ["src/Weir.AspNetCore/Streaming/ShutdownReport.cs"] = "its report catches everything",
        ["src/Weir.AspNetCore/Resuming/KeptStreams.cs"] = "its two callbacks catch everything",
        ["src/Weir.AspNetCore/Streaming/StreamWatch.cs"] = "its check catches everything",
        ["src/Weir.AspNetCore/Streaming/CancelledStream.cs"] = "its two callbacks catch everything",
        ["src/Weir.AspNetCore/Binding/BodyPipe.cs"] = "its callback catches everything",
        ["src/Weir.AspNetCore/RequestStreams/HttpItemReader.cs"] = "its timer and tokens call BodyPipe.CancelRead, which catches everything",
    };

    [Fact]
    public void No_callback_of_the_host_is_queued_without_a_guard() =>
        Expect.NoFault(HostFiles.Where(static file => !Exceptions.ContainsKey(file.Path)).SelectMany(CallbackRule.RawCallbacks).Select(static finding => $"{finding}: use Callbacks"));

    [Fact]
    public void Every_exception_is_needed() =>
        Assert.Empty(Exceptions.Keys.Except(HostFiles.Where(static file => CallbackRule.RawCallbacks(file).Any()).Select(static file => file.Path)));

    [Theory]
    [InlineData("ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);")]
    [InlineData("new Thread(Run) { IsBackground = true }.UnsafeStart();")]
    [InlineData("var timer = time.CreateTimer(Tick, this, a, b);")]
    [InlineData("using var timer = new System.Threading.Timer(Tick);")]
    [InlineData("token.UnsafeRegister(Leave, this);")]
    [InlineData("cancellationToken.Register(Leave);")]
    [InlineData("http.RequestAborted.Register(Leave);")]
    [InlineData("async void Tick() { await Task.Yield(); }")]
    [InlineData("Callbacks.Queue(this, Run, Failed);", false)]
    [InlineData("Callbacks.CreateTimer(time, this, Run, Failed);", false)]
    [InlineData("Callbacks.CreateThread(\"a\", this, Run, Failed).UnsafeStart();", false)]
    [InlineData("registry.Register(service);", false)]
    [InlineData("async Task Tick() { await Task.Yield(); }", false)]
    public void A_raw_callback_is_found(string code, bool isFound = true) =>
        Assert.Equal(isFound, CallbackRule.RawCallbacks(new("src/A.cs", $"class A {{ void M() {{ {(code.StartsWith("async", StringComparison.Ordinal) ? "} " + code : code + " }")} }}")).Any());

    private static IEnumerable<SourceFile> HostFiles =>
        Repository.Sources.Where(static file => HostProjects.Any(project => file.Path.StartsWith(project, StringComparison.Ordinal)));
}
