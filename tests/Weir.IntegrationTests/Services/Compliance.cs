using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Processes;

namespace Weir.IntegrationTests.Services;

/// <summary>What a worker may be asked in WorkerCompliance, by synchronous methods: they run on the data thread.</summary>
[Service, Isolated("compliance")]
public sealed class ComplianceInline
{
    public int Add(int a, int b) => a + b;

    public string Later(string text) => text;

    public string Echo(string text) => text;

    public string? Maybe(string? text) => text;

    public byte[] Reverse(string prefix, ReadOnlyMemory<byte> data) => [.. System.Text.Encoding.UTF8.GetBytes(prefix), .. data.ToArray().Reverse()];

    public int Sum(int[] numbers, int start = 10) => start + numbers.Sum();

    public void Nothing()
    {
    }

    public void Fail(string message) => throw new InvalidOperationException(message);

    public void Refuse(int status) => throw new OperationStatusException(status, "refused", new Dictionary<string, string> { ["X-Reason"] = "test" });

    public string Huge(int length) => new('x', length);

    [Stream]
    public IEnumerable<int> Count(int n) => Enumerable.Range(0, n);

    [Stream]
    public IEnumerable<int> CountLater(int n) => Enumerable.Range(0, n);

    [Stream]
    public IEnumerable<int> CountAndFail(int n)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }

        throw new InvalidOperationException($"after {n}");
    }

    public void Wait(CancellationToken cancellationToken)
    {
        cancellationToken.WaitHandle.WaitOne();
        cancellationToken.ThrowIfCancellationRequested();
    }

    public void WaitLater(CancellationToken cancellationToken) => Wait(cancellationToken);

    public void Spin(CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    public string Ignore(int milliseconds)
    {
        Thread.Sleep(milliseconds);
        return "done";
    }

    public int Remaining(OperationContext context) => ComplianceWork.Remaining(context);

    public string Report(int times, OperationContext context) => ComplianceWork.Report(times, context);

    public void ReportAndSpin(OperationContext context) => ComplianceWork.ReportAndSpin(context);

    public void Print(string text, [FromServices] ILoggerFactory loggers) => ComplianceWork.Print(text, loggers);

    public void Exit(int code) => Environment.Exit(code);

    [SuppressMessage("Usage", "CA2201", Justification = "What the runtime throws, without filling the machine.")]
    public void Exhaust() => throw new OutOfMemoryException();

    public int Spawn() => Process.Start("sleep", "1000").Id;

    /// <summary>Gives its number back, or ends the process at once.</summary>
    public int Survive(int id, int dies)
    {
        if (id == dies)
        {
            _ = Signals.Send(Environment.ProcessId, Signals.Kill);
            Thread.Sleep(Timeout.Infinite);
        }

        return id;
    }

    /// <summary>Gives its number back; one that waits returns only after its caller has cancelled, and is counted.</summary>
    public int Late(int id, bool waits, CancellationToken cancellationToken)
    {
        if (waits && cancellationToken.WaitHandle.WaitOne(ComplianceWork.LongestWait))
        {
            Interlocked.Increment(ref ComplianceWork.LateAnswers);
        }

        return id;
    }

    public int LateCount() => Volatile.Read(ref ComplianceWork.LateAnswers);

    public string Upload(string label, Stream content) => $"{label} {ComplianceWork.Digest(content)}";

    public string UploadLater(string label, Stream content) => Upload(label, content);

    public string UploadNone(Stream content) => "none";

    public Stream Download(int length, OperationContext context) => ComplianceWork.Download(length, context);

    public Stream DownloadAndFail(int length) => new Pattern(length, seekable: false) { Fails = true };

    public Stream DownloadDeclared(int declared, int sent, OperationContext context) => ComplianceWork.DownloadDeclared(declared, sent, context);

    public Stream DownloadEndless() => new Pattern(0, seekable: false) { IsEndless = true };

    public Stream EchoContent(Stream content) => content;

    public Stream EchoContentLater(Stream content) => content;
}

/// <summary>The same by asynchronous methods: they run on the thread pool, and the data thread continues to read.</summary>
[Service, Isolated("compliance")]
public sealed class CompliancePumped
{
    private readonly ComplianceInline _inline = new();

    public ValueTask<int> Add(int a, int b) => new(a + b);

    public async ValueTask<string> Later(string text)
    {
        await Task.Yield();
        return text;
    }

    public ValueTask<string> Echo(string text) => new(text);

    public ValueTask<string?> Maybe(string? text) => new(text);

    public ValueTask<byte[]> Reverse(string prefix, ReadOnlyMemory<byte> data) => new(_inline.Reverse(prefix, data));

    public ValueTask<int> Sum(int[] numbers, int start = 10) => new(_inline.Sum(numbers, start));

    public ValueTask Nothing() => default;

    public async ValueTask Fail(string message)
    {
        await Task.Yield();
        throw new InvalidOperationException(message);
    }

    public async ValueTask Refuse(int status)
    {
        await Task.Yield();
        _inline.Refuse(status);
    }

    public ValueTask<string> Huge(int length) => new(_inline.Huge(length));

    public async IAsyncEnumerable<int> Count(int n, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var i = 0; i < n; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return i;
        }
    }

    public async IAsyncEnumerable<int> CountLater(int n)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    public async IAsyncEnumerable<int> CountAndFail(int n)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return i;
        }

        throw new InvalidOperationException($"after {n}");
    }

    public async ValueTask Wait(CancellationToken cancellationToken) => await Task.Delay(Timeout.Infinite, cancellationToken);

    public async ValueTask WaitLater(CancellationToken cancellationToken) => await Task.Delay(Timeout.Infinite, cancellationToken);

    public async ValueTask Spin(CancellationToken cancellationToken)
    {
        await Task.Yield();
        _inline.Spin(cancellationToken);
    }

    public async ValueTask<string> Ignore(int milliseconds)
    {
        await Task.Delay(milliseconds, CancellationToken.None);
        return "done";
    }

    public ValueTask<int> Remaining(OperationContext context) => new(ComplianceWork.Remaining(context));

    public async ValueTask<string> Report(int times, OperationContext context)
    {
        await Task.Yield();
        return ComplianceWork.Report(times, context);
    }

    public async ValueTask ReportAndSpin(OperationContext context)
    {
        await Task.Yield();
        ComplianceWork.ReportAndSpin(context);
    }

    public async ValueTask Print(string text, [FromServices] ILoggerFactory loggers)
    {
        await Task.Yield();
        ComplianceWork.Print(text, loggers);
    }

    public async ValueTask Exit(int code)
    {
        await Task.Yield();
        Environment.Exit(code);
    }

    public async ValueTask Exhaust()
    {
        await Task.Yield();
        _inline.Exhaust();
    }

    public ValueTask<int> Spawn() => new(_inline.Spawn());

    public ValueTask<int> Survive(int id, int dies) => new(_inline.Survive(id, dies));

    public async ValueTask<int> Late(int id, bool waits, CancellationToken cancellationToken)
    {
        try
        {
            await Task.Delay(waits ? ComplianceWork.LongestWait : TimeSpan.Zero, cancellationToken);
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref ComplianceWork.LateAnswers);
        }

        return id;
    }

    public ValueTask<int> LateCount() => new(_inline.LateCount());

    public async Task<string> Upload(string label, Stream content, CancellationToken cancellationToken)
    {
        using var all = new MemoryStream();
        await content.CopyToAsync(all, cancellationToken);
        all.Position = 0;
        return $"{label} {ComplianceWork.Digest(all)}";
    }

    public Task<string> UploadLater(string label, Stream content, CancellationToken cancellationToken) => Upload(label, content, cancellationToken);

    public ValueTask<string> UploadNone(Stream content) => new("none");

    public ValueTask<Stream> Download(int length, OperationContext context) => new(ComplianceWork.Download(length, context));

    public ValueTask<Stream> DownloadAndFail(int length) => new(_inline.DownloadAndFail(length));

    public ValueTask<Stream> DownloadDeclared(int declared, int sent, OperationContext context) => new(ComplianceWork.DownloadDeclared(declared, sent, context));

    public ValueTask<Stream> DownloadEndless() => new(_inline.DownloadEndless());

    public ValueTask<Stream> EchoContent(Stream content) => new(content);

    public ValueTask<Stream> EchoContentLater(Stream content) => new(content);
}

internal static class ComplianceWork
{
    /// <summary>How long a call waits for its caller to leave.</summary>
    internal static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(20);

    internal static int LateAnswers;

    /// <summary>How much it was, and its hash.</summary>
    internal static string Digest(Stream content)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var buffer = new byte[50_000];
        var length = 0;
        for (int read; (read = content.Read(buffer)) > 0; length += read)
        {
            hash.AppendData(buffer.AsSpan(0, read));
        }

        return $"{length} {Convert.ToHexStringLower(hash.GetHashAndReset())}";
    }

    internal static Stream Download(int length, OperationContext context)
    {
        (context.Headers["Content-Type"], context.Headers["Content-Disposition"]) = ("image/png", "attachment; filename=a.png");
        return new MemoryStream([.. Enumerable.Range(0, length).Select(static i => (byte)i)]);
    }

    internal static Stream DownloadDeclared(int declared, int sent, OperationContext context)
    {
        (context.StatusCode, context.Headers["Content-Length"]) = (203, $"{declared}");
        return new Pattern(sent, seekable: false);
    }

    internal static int Remaining(OperationContext context) =>
        context.Deadline is { } deadline ? (int)(deadline - DateTimeOffset.UtcNow).TotalMilliseconds : -1;

    /// <summary>Reports how far it is, so often; -1 what is beyond the limits. Returns what it knows of its job.</summary>
    internal static string Report(int times, OperationContext context)
    {
        if (context.Job is not { } job)
        {
            return "direct";
        }

        for (var i = 1; i <= times; i++)
        {
            job.Report(i / (double)times, $"{i} of {times}");
        }

        if (times < 0)
        {
            job.Report(-2.0 * times, new string('x', 1000));
        }

        return $"{job.Id:N}"[..4] + $" {job.Attempt} {job.Fence} {job.Key}";
    }

    /// <summary>Reports twice, of which the second report comes too early to be sent, and then nothing more.</summary>
    internal static void ReportAndSpin(OperationContext context)
    {
        context.Job!.Report(0.25, "begins");
        context.Job.Report(0.5, "spins");
        while (true)
        {
            context.CancellationToken.ThrowIfCancellationRequested();
        }
    }

    internal static void Print(string text, ILoggerFactory loggers)
    {
        Console.WriteLine(text);
        Console.Error.WriteLine(text);
        loggers.CreateLogger("compliance").Log(LogLevel.Warning, "{Text}", "logged " + text);
    }
}
