using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Weir.Workers;

/// <summary>What a worker may be asked in WorkerCompliance, for .NET Framework.</summary>
internal static class Program
{
    private static IDictionary<string, string> _configuration;
    private static int _lateAnswers;

    private static int Main(string[] args)
    {
        if (args.Length > 1 && args[0] == "--vectors")
        {
            return Vectors.Check(args[1]);
        }

        var worker = new WeirWorker { Setup = Setup, Cleanup = () => Console.WriteLine("cleaned up") };
        worker.Operation("Compliance/Add", (int a, int b) => a + b);
        worker.Operation("Compliance/Later", (Func<string, Task<string>>)Later);
        worker.Operation("Compliance/Echo", (string text) => text);
        worker.Operation("Compliance/Maybe", (Func<string, string>)Maybe);
        worker.Operation("Compliance/Reverse", (string prefix, byte[] data) => Encoding.UTF8.GetBytes(prefix).Concat(data.Reverse()).ToArray());
        worker.Operation("Compliance/Sum", (Func<int[], int, int>)Sum);
        worker.Operation("Compliance/Nothing", () => { });
        worker.Operation("Compliance/Fail", (string message) => { throw new InvalidOperationException(message); });
        worker.Operation("Compliance/Refuse", (int status) => { throw new WeirStatusException(status, "refused", new Dictionary<string, string> { { "X-Reason", "test" } }); });
        worker.Operation("Compliance/Huge", (int length) => new string('x', length));
        worker.Operation("Compliance/Count", (int n) => Enumerable.Range(0, n));
        worker.Operation("Compliance/CountLater", (Func<int, Task<IEnumerable<int>>>)CountLater);
        worker.Operation("Compliance/CountAndFail", (Func<int, IEnumerable<int>>)CountAndFail);
        worker.Operation("Compliance/Wait", (CancellationToken cancelled) =>
        {
            cancelled.WaitHandle.WaitOne();
            cancelled.ThrowIfCancellationRequested();
        });
        worker.Operation("Compliance/WaitLater", (CancellationToken cancelled) => Task.Delay(Timeout.Infinite, cancelled));
        worker.Operation("Compliance/Spin", (CancellationToken cancelled) =>
        {
            while (true)
            {
                cancelled.ThrowIfCancellationRequested();
            }
        });
        worker.Operation("Compliance/Ignore", (int milliseconds) =>
        {
            Console.WriteLine("ignoring");
            Thread.Sleep(milliseconds);
            return "done";
        });
        worker.Operation("Compliance/Remaining", (WeirCall call) => call.Remaining == null ? -1 : (int)call.Remaining.Value.TotalMilliseconds);
        worker.Operation("Compliance/Report", (int times) => "direct");
        worker.Operation("Compliance/ReportAndSpin", () => { });
        worker.Operation("Compliance/Print", (string text) =>
        {
            Console.WriteLine(text);
            Console.Error.WriteLine(text);
            worker.Log(3, "compliance", "logged " + text);
        });
        worker.Operation("Compliance/Exit", (int code) => Environment.Exit(code));
        worker.Operation("Compliance/Exhaust", () => { throw new OutOfMemoryException(); });
        worker.Operation("Compliance/Spawn", () => Process.Start(new ProcessStartInfo("sleep", "1000") { UseShellExecute = false }).Id);
        worker.Operation("Compliance/Late", (Func<int, bool, CancellationToken, int>)Late);
        worker.Operation("Compliance/LateCount", () => _lateAnswers);
        worker.Operation("Compliance/Configured", () => _configuration["word"]);
        AddContent(worker);
        return worker.Run(args);
    }

    private static void AddContent(WeirWorker worker)
    {
        worker.Operation("Compliance/Upload", (string label, Stream content) => label + " " + Digest(content));
        worker.Operation("Compliance/UploadLater", (Func<string, Stream, CancellationToken, Task<string>>)UploadLater);
        worker.Operation("Compliance/UploadPart", (Func<int, Stream, string>)UploadPart);
        worker.Operation("Compliance/UploadNone", (Stream content) => "none");
        worker.Operation("Compliance/Download", (Func<int, WeirCall, IEnumerable<byte[]>>)Download);
        worker.Operation("Compliance/DownloadFile", (int length) => (Stream)new MemoryStream(Pattern(length)));
        worker.Operation("Compliance/DownloadAndFail", (Func<int, IEnumerable<byte[]>>)DownloadAndFail);
        worker.Operation("Compliance/DownloadDeclared", (Func<int, int, WeirCall, IEnumerable<byte[]>>)DownloadDeclared);
        worker.Operation("Compliance/DownloadEndless", (Func<IEnumerable<byte[]>>)DownloadEndless);
        worker.Operation("Compliance/EchoContent", (Stream content) => content);
        worker.Operation("Compliance/EchoContentLater", (Func<Stream, IEnumerable<byte[]>>)Echo);
        worker.Operation("Compliance/TakeFile", (Func<string, WeirFile, string>)TakeFile);
        worker.Operation("Compliance/TakeFiles", (IEnumerable<WeirFile> files) => files.Select(Described).ToArray());
        worker.Operation("Compliance/TakeFilesLater", (Func<IEnumerable<WeirFile>, Task<string[]>>)(files => Task.Run(() => files.Select(Described).ToArray())));
        worker.Operation("Compliance/SkipFiles", (IEnumerable<WeirFile> files) => string.Join(" ", files.Select(file => file.FileName)));
        worker.Operation("Compliance/SumItems", (WeirItems<long> numbers) => numbers.Sum());
        worker.Operation("Compliance/WhoCalls", (Func<ClaimsPrincipal, WeirCall, string>)WhoCalls);
        worker.Operation("Compliance/ReadShared", (string name) => Digest(worker.SharedData(name).OpenRead()));
    }

    private static string Digest(Stream content)
    {
        using (var hash = SHA256.Create())
        {
            var buffer = new byte[50000];
            var length = 0L;
            for (int count; (count = content.Read(buffer, 0, buffer.Length)) > 0; length += count)
            {
                hash.TransformBlock(buffer, 0, count, null, 0);
            }

            hash.TransformFinalBlock(buffer, 0, 0);
            return length + " " + string.Concat(hash.Hash.Select(one => one.ToString("x2", CultureInfo.InvariantCulture)));
        }
    }

    private static byte[] Pattern(int length) { return Enumerable.Range(0, length).Select(i => (byte)i).ToArray(); }

    private static async Task<string> UploadLater(string label, Stream content, CancellationToken cancelled)
    {
        var buffer = new byte[1 << 16];
        using (var all = new MemoryStream())
        {
            for (int count; (count = await content.ReadAsync(buffer, 0, buffer.Length, cancelled)) > 0;)
            {
                all.Write(buffer, 0, count);
            }

            all.Position = 0;
            return label + " " + Digest(all);
        }
    }

    private static string UploadPart(int length, Stream content)
    {
        var part = new byte[length];
        for (var read = 0; read < length;)
        {
            read += content.Read(part, read, length - read);
        }

        return Digest(new MemoryStream(part));
    }

    private static IEnumerable<byte[]> Download(int length, WeirCall call)
    {
        call.Response.Headers["Content-Type"] = "image/png";
        call.Response.Headers["Content-Disposition"] = "attachment; filename=a.png";
        for (; length > 0; length -= 65536)
        {
            yield return Pattern(Math.Min(length, 65536));
        }
    }

    private static IEnumerable<byte[]> DownloadAndFail(int length)
    {
        yield return new byte[length];
        throw new InvalidOperationException("after the first bytes");
    }

    private static IEnumerable<byte[]> DownloadDeclared(int declared, int sent, WeirCall call)
    {
        call.Response.Status = 203;
        call.Response.Headers["Content-Length"] = declared.ToString(CultureInfo.InvariantCulture);
        return new[] { new byte[sent] };
    }

    private static IEnumerable<byte[]> DownloadEndless()
    {
        try
        {
            while (true)
            {
                yield return new byte[65536];
            }
        }
        finally
        {
            Console.WriteLine("closed");
        }
    }

    private static IEnumerable<byte[]> Echo(Stream content)
    {
        var buffer = new byte[50000];
        for (int count; (count = content.Read(buffer, 0, buffer.Length)) > 0;)
        {
            yield return buffer.Take(count).ToArray();
        }
    }

    private static string TakeFile(string label, WeirFile file = null) { return file == null ? "none" : label + " " + Described(file); }

    private static string Described(WeirFile file)
    {
        string part;
        var length = file.Length == null ? "None" : file.Length.Value.ToString(CultureInfo.InvariantCulture);
        return string.Join("|", file.Name, file.FileName, file.ContentType ?? "None", length, file.Headers.TryGetValue("X-Part", out part) ? part : "None", Digest(file.OpenRead()));
    }

    private static string WhoCalls(ClaimsPrincipal user, WeirCall call)
    {
        return call.User == null ? "no caller"
            : string.Join("|", user.Identity.Name, user.FindFirst("tenant").Value, user.IsInRole("admin") ? "true" : "false", user.Identity.IsAuthenticated ? "true" : "false");
    }

    private static void Setup(string pool, IDictionary<string, string> configuration)
    {
        string start;
        if (configuration.TryGetValue("start", out start))
        {
            if (start == "exit")
            {
                Environment.Exit(5);
            }

            if (start != "linger")
            {
                throw new InvalidOperationException("no database");
            }

            Console.WriteLine("building services");
            Thread.Sleep(500);
        }

        _configuration = configuration;
        Trace.TraceInformation("{0} has {1} pairs of configuration", pool, configuration.Count.ToString(CultureInfo.InvariantCulture));
    }

    private static async Task<string> Later(string text)
    {
        await Task.Yield();
        return text;
    }

    private static int Late(int id, bool waits, CancellationToken cancelled)
    {
        if (waits && cancelled.WaitHandle.WaitOne(20000))
        {
            Interlocked.Increment(ref _lateAnswers);
        }

        return id;
    }

    private static string Maybe(string text = null) { return text; }

    private static int Sum(int[] numbers, int start = 10) { return start + numbers.Sum(); }

    private static async Task<IEnumerable<int>> CountLater(int n)
    {
        await Task.Yield();
        return Enumerable.Range(0, n);
    }

    private static IEnumerable<int> CountAndFail(int n)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }

        throw new InvalidOperationException("after " + n);
    }
}
