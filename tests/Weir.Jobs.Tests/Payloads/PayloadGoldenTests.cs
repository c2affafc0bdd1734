using System.Text;
using Weir.Jobs.Payloads;
using Weir.Jobs.Recording;
using Weir.Jobs.Tests.Running;
using Weir.Runtime;

namespace Weir.Jobs.Tests.Payloads;

/// <summary>What is stored of a job has the committed bytes, and every later version reads them.</summary>
public sealed class PayloadGoldenTests
{
    private static readonly string Golden = Path.Combine(AppContext.BaseDirectory, "Golden");

    private static readonly StoredResult Result = new(ResultEncoding.Json, 201, [new("Location", "/reports/ä"), new("X-Empty", "")], Encoding.UTF8.GetBytes("""{"tenant":"ä"}"""));

    private static readonly JobFailure Failure = new()
    {
        Type = "Weir.WorkerLostException",
        Message = "The worker 7 of pool 'ä' ended.",
        Stack = "   at A.B()\n   at C.D()",
        Code = WeirCodes.WorkerLost,
        Status = 418,
        Content = "a teapot",
        Headers = new Dictionary<string, string> { ["Retry-After"] = "1" },
        Pool = "ä",
        ProcessId = 7,
        Cause = "signal 9 (SIGKILL)",
        ReportId = "r1",
        Report = "what it printed",
        BindingErrors = [new BindingError("year", "job", BindingErrorReason.Validation, "1 to 9999")],
    };

    [Fact]
    public void Arguments_are_stored_by_name_and_read_again()
    {
        var operation = Operation("Reverse");
        var invoker = new RecordingInvoker();
        var proxy = Weir.Generated.ApplicationCatalog.Catalogs.SelectMany(static catalog => catalog.Proxies).Single(static one => one.Contract == typeof(IReportsClient));
        var call = invoker.Record((IReportsClient)proxy.Create(invoker), static reports => _ = reports.Reverse(new byte[] { 0, 1, 255 }, "nöte").AsTask());
        using var writer = new ArgumentWriter();
        Equal("arguments-1.bin", StoredArguments.Write(call, writer));

        var read = operation.CreateCall(operation);
        var reader = new StoredArgumentReader(operation, File.ReadAllBytes(Path.Combine(Golden, "arguments-1.bin")));
        read.Bind(reader);
        Assert.Equal(0, reader.Errors.Count);
        Assert.Equal((byte[])[0, 1, 255], Bytes(read.GetArgument(0)));
        Assert.Equal("nöte", read.GetArgument(1));
    }

    [Fact]
    public void Arguments_that_end_too_early_or_have_another_version_are_refused()
    {
        var stored = File.ReadAllBytes(Path.Combine(Golden, "arguments-1.bin"));
        for (var length = 0; length < stored.Length; length++)
        {
            if (length != 5 + BitConverter.ToInt32(stored, 1))
            {
                Assert.Throws<FormatException>(() => StoredArguments.Read(stored.AsMemory(0, length)));
            }
        }

        stored[0] = 2;
        Assert.Contains("version 2", Assert.Throws<FormatException>(() => StoredArguments.Read(stored)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_result_is_stored_with_its_status_and_headers_and_read_again()
    {
        Equal("result-1.bin", Result.Write());
        var read = StoredResult.Read(File.ReadAllBytes(Path.Combine(Golden, "result-1.bin")));
        Assert.Equal((Result.Encoding, Result.Status), (read.Encoding, read.Status));
        Assert.Equal(Result.Headers, read.Headers);
        Assert.Equal(Result.Body.ToArray(), read.Body.ToArray());
        Assert.Null(StoredResult.Read(StoredResult.Nothing.Write()).Encoding);
    }

    [Fact]
    public void A_failure_is_stored_as_json_and_read_again()
    {
        Equal("failure-1.json", Failure.Write());
        var read = JobFailure.Read(File.ReadAllBytes(Path.Combine(Golden, "failure-1.json")));
        Assert.Equal(Failure.BindingErrors, read.BindingErrors);
        Assert.Equal(Failure.Headers, read.Headers);
        Assert.Equal(Failure with { BindingErrors = [], Headers = null }, read with { BindingErrors = [], Headers = null });
    }

    [Theory]
    [InlineData("")]
    [InlineData("{")]
    [InlineData("[]")]
    [InlineData("""{"message":7,"later":{"a":1}}""")]
    public void A_failure_that_cannot_be_read_is_one_without_details(string stored) => Assert.Null(JobFailure.Read(Encoding.UTF8.GetBytes(stored)).Type);

    private static Operation Operation(string name) =>
        Weir.Generated.ApplicationCatalog.Catalogs.SelectMany(static catalog => catalog.Services).SelectMany(static service => service.Operations).Single(one => one.FullName == $"Reports/{name}");

    private static byte[] Bytes(object? argument) => argument switch
    {
        byte[] bytes => bytes,
        ReadOnlyMemory<byte> memory => memory.ToArray(),
        _ => throw new InvalidOperationException($"{argument} is no bytes."),
    };

    private static void Equal(string file, byte[] actual)
    {
        var path = Path.Combine(Golden, file);
        if (!File.Exists(path) || !File.ReadAllBytes(path).AsSpan().SequenceEqual(actual))
        {
            var written = Path.Combine(AppContext.BaseDirectory, file);
            File.WriteAllBytes(written, actual);
            Assert.Fail($"The stored form is not that of {file}, which files of applications have: a new form needs a new version, and this one must still be read. What was written now is in {written}.");
        }
    }
}
