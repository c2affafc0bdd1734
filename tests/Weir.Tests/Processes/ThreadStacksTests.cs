using System.Text;
using Weir.Execution.Pools.Hangs;

namespace Weir.Tests.Processes;

public sealed class ThreadStacksTests
{
    [Fact]
    public void Of_a_thread_of_the_application_the_frames_above_those_of_Weir_are_kept()
    {
        var text = Describe(
            Thread("0x6677", ("System.Private.CoreLib.dll", "System.Threading.Monitor.Wait()"), ("Weir.Worker.dll", "Weir.Worker.Session.DataLoop.Run()")),
            Thread(
                "0x10",
                (null, null),
                ("System.Private.CoreLib.dll", "System.Threading.Thread.Sleep(Int32)"),
                ("App.dll", "App.Scans.Convert(System.String)"),
                ("App.dll", "Weir.Generated.App.ScansOperations+ConvertCall.Invoke()"),
                ("Weir.Worker.dll", "Weir.Worker.Calls.CallExecution.Run()"),
                ("App.dll", "Program.Main()")));
        Assert.Equal("Thread 16:\n   at System.Threading.Thread.Sleep(Int32)\n   at App.Scans.Convert(System.String)", text);
    }

    [Fact]
    public void A_native_library_that_the_application_called_is_named()
    {
        var json = """{"stack_frames":[{"native_module":"libc.so.6"},{"native_module":"libtiff.so.5","unmanaged_name":"TIFFRead"},{"method_name":"App.Scans.Convert()","filename":"App.dll"}],"native_thread_id":"0x1"}""";
        Assert.Equal("Thread 1:\n   in TIFFRead of libtiff.so.5\n   at App.Scans.Convert()", Describe(json));
    }

    [Fact]
    public void Without_code_of_the_application_on_a_stack_it_says_so() =>
        Assert.Contains("No thread runs code of the application", Describe(Thread("0x1", ("System.Private.CoreLib.dll", "System.Threading.Monitor.Wait()"))), StringComparison.Ordinal);

    [Fact]
    public void A_thread_that_could_not_be_read_is_not_called_idle() =>
        Assert.Contains("could not be read", Describe("""{"is_managed":"true","native_thread_id":"0x1","stack_frames":[{"native_address":"0x7f"}]}"""), StringComparison.Ordinal);

    [Fact]
    public void A_deep_recursion_is_cut_in_the_middle()
    {
        var text = Describe(Thread("0x1", [.. Enumerable.Range(0, 5000).Select(i => ((string?)"App.dll", (string?)$"App.Deep.Frame{i}()"))]))!;
        Assert.Contains("Frame79()\n   … 4900 frames\n   at App.Deep.Frame4980()", text, StringComparison.Ordinal);
        Assert.EndsWith("Frame4999()", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Many_threads_are_cut_at_64_KB() =>
        Assert.Equal(ThreadStacks.MostText, Describe([.. Enumerable.Range(1, 2000).Select(i => Thread($"0x{i:x}", ("App.dll", $"App.Wide.Method{new string('x', 50)}()")))])!.Length);

    [Theory]
    [InlineData("")]
    [InlineData("{")]
    [InlineData("[]")]
    [InlineData("""{"payload":{"threads":3}}""")]
    [InlineData("""{"payload":{"threads":[{}]}}""")]
    public void What_is_no_report_is_no_stack(string json) => Assert.Null(ThreadStacks.Describe(Encoding.UTF8.GetBytes(json)));

    private static string? Describe(params string[] threads) => ThreadStacks.Describe(Encoding.UTF8.GetBytes("""{"payload":{"threads":[""" + string.Join(',', threads) + "]}}"));

    private static string Thread(string id, params (string? File, string? Method)[] frames) =>
        $$"""{"native_thread_id":"{{id}}","stack_frames":[{{string.Join(',', frames.Select(frame => frame.Method is null ? """{"native_module":"libcoreclr.so"}""" : $$"""{"filename":"{{frame.File}}","method_name":"{{frame.Method}}"}"""))}}]}""";
}
