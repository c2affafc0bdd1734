using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Security.Claims;
using System.Text;
using Weir.Workers;

/// <summary>Reads and writes tests/vectors byte for byte: what travels down is read and its fields are compared, what travels up is written.</summary>
internal static class Vectors
{
    private const Route Down = Route.DataDown | Route.ControlDown;
    private const Route Up = Route.DataUp | Route.ControlUp;

    private static readonly Dictionary<string, Func<byte[]>> Written = new Dictionary<string, Func<byte[]>>
    {
        { "started", () => Frame.Bytes(Kind.Started, 2) },
        { "item-json", () => Frame.Bytes(Kind.Item, 2, Encoding.UTF8.GetBytes("{\"a\":1}")) },
        { "item-raw", () => Frame.Bytes(Kind.Item, 2, new byte[] { 0xff, 0 }, Rules.Raw) },
        { "item-head", () => Frame.Bytes(Kind.Item, 2, ResponseHead(206, "X-A", "b").Concat(Encoding.UTF8.GetBytes("{\"a\":1}")).ToArray(), Rules.Head) },
        { "item-content", () => Frame.Bytes(Kind.Item, 2, ResponseHead(206, "Content-Length", "2").Concat(new byte[] { 0xff, 0 }).ToArray(), Rules.Raw | Rules.Head) },
        { "result-head", () => Frame.Bytes(Kind.Result, 2, ResponseHead(202), Rules.NoValue | Rules.Head) },
        { "result-json", () => Frame.Bytes(Kind.Result, 2, Encoding.UTF8.GetBytes(Json.Write("héllo"))) },
        { "result-raw", () => Frame.Bytes(Kind.Result, 2, Encoding.UTF8.GetBytes("héllo"), Rules.Raw) },
        { "result-none", () => Frame.Bytes(Kind.Result, 2, null, Rules.NoValue) },
        { "error-failed", () => Frame.Bytes(Kind.Error, 2, Payloads.Failed("System.InvalidOperationException", "no", "at A.B()")) },
        { "error-status", () => Frame.Bytes(Kind.Error, 2, Payloads.Status(new WeirStatusException(409, "taken", new Dictionary<string, string> { { "Retry-After", "1" } }))) },
        { "error-arguments", () => Frame.Bytes(Kind.Error, 2, Payloads.Arguments(new[] { new BindingError { Name = "days", Reason = "invalid", Expected = "a whole number" } })) },
        { "error-cancelled", () => Frame.Bytes(Kind.Error, 2, Payloads.Cancelled) },
        { "error-deadline", () => Frame.Bytes(Kind.Error, 2, Payloads.DeadlineExceeded) },
        { "error-memory", () => Frame.Bytes(Kind.Error, 2, Payloads.OutOfMemory) },
        { "error-too-large", () => Frame.Bytes(Kind.Error, 2, Payloads.TooLarge(70000000, 64 << 20)) },
        { "ready", () => Frame.Bytes(Kind.Ready, 0, Payloads.Ready(4711, new[] { "Hasher/Hash", "Hasher/Nothing" }, 16, "c1", new ulong[] { 0x0123456789abcdef, 2 })) },
        { "ready-failed", () => Frame.Bytes(Kind.Ready, 0, Payloads.StartFailed("create App.Hasher", "System.InvalidOperationException", "no key", ""), Rules.Failed) },
        { "returned", () => Frame.Bytes(Kind.Returned, 5, Payloads.U64(8)) },
        { "pong", () => Frame.Bytes(Kind.Pong, 0, Payloads.U64(0x1122334455667788)) },
        { "log", () => Frame.Bytes(Kind.Log, 2, Payloads.Log(3, 17, 3, "Slow", "App.Hasher", "slow", "System.Exception: x")) },
        { "log-details", () => Frame.Bytes(Kind.Log, 2, Payloads.Log(4, 1, 0, "", "App.Hasher", "took 5", "").Concat(LogDetails()).ToArray()) },
        { "progress", () => Frame.Bytes(Kind.Progress, 2, BitConverter.GetBytes(0.25).Concat(Text("page 1 of 4")).ToArray()) }, // No worker of this language sends one.
        { "stack", () => Frame.Bytes(Kind.Stack, 2, Encoding.UTF8.GetBytes("at a()\nat b()")) }, // No worker of this language sends one.
        { "bye", () => Frame.Bytes(Kind.Bye, 0, Payloads.Bye(Payloads.ByeDrained)) },
    };

    private static readonly Dictionary<string, Func<Frame, bool>> Read = new Dictionary<string, Func<Frame, bool>>
    {
        { "call-empty", frame => Is(frame, Kind.Call, 1) && CallFields.Read(frame.Payload) is CallFields call && call.Operation == 0 && !call.RawWished && call.Credit == 0 && call.Remaining == -1 && call.TraceParent == null && call.Values == null && call.Raw.Count == 0 },
        { "call-full", frame => Is(frame, Kind.Call, 7) && IsFull(CallFields.Read(frame.Payload)) },
        { "call-context", frame => Is(frame, Kind.Call, 8) && Refuses(frame.Payload, 3) },
        { "call-caller", frame => Is(frame, Kind.Call, 9) && Refuses(frame.Payload, 4) && IsCaller(Callers.Read(CallFields.Read(frame.Payload, true).Caller)) },
        { "item-file", frame => Is(frame, Kind.Item, 3) && IsFile(RequestFiles.Describe(frame.Payload, null)) },
        { "stack-asked", frame => Is(frame, Kind.Stack, 2) && frame.Payload.Length == 0 },
        { "hello-shared-data", frame => Hello.Read(frame.Payload).Shared.Select(one => one.Path).SequenceEqual(new[] { "/proc/self/fd/6", "/tmp/words" }) },
        { "hello", frame => Is(frame, Kind.Hello, 0) && IsHello(Hello.Read(frame.Payload)) },
        { "credit", frame => Is(frame, Kind.Credit, 2) && new FieldReader(frame.Kind, frame.Payload).U32() == 65536 },
        { "cancel", frame => Is(frame, Kind.Cancel, 2) && new FieldReader(frame.Kind, frame.Payload).U8() == 1 },
        { "ping", frame => Is(frame, Kind.Ping, 0) && new FieldReader(frame.Kind, frame.Payload).U64() == 0x1122334455667788 },
        { "drain", frame => Is(frame, Kind.Drain, 9) && frame.Payload.Length == 0 },
        { "space", frame => Is(frame, Kind.Space, 0) && frame.Payload.Length == 0 },
        { "end", frame => Is(frame, Kind.End, 3) },
        { "abort", frame => Is(frame, Kind.Abort, 3) && frame.Payload[0] == 1 },
    };

    /// <summary>0 when every file of the folder is right; prints what is not.</summary>
    public static int Check(string folder)
    {
        var wrong = 0;
        var files = Directory.GetFiles(folder, "*.hex");
        foreach (var file in files.OrderBy(one => one, StringComparer.Ordinal))
        {
            var name = Path.GetFileNameWithoutExtension(file);
            var golden = File.ReadAllLines(file).Where(line => !line.StartsWith("#", StringComparison.Ordinal))
                .SelectMany(line => line.Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries)).Select(pair => byte.Parse(pair, NumberStyles.HexNumber, CultureInfo.InvariantCulture)).ToArray();
            Func<byte[]> write;
            Func<Frame, bool> read;
            var isRight = Written.TryGetValue(name, out write) ? write().SequenceEqual(golden) && Parse(golden, Up) != null
                : Read.TryGetValue(name, out read) && read(Parse(golden, Down));
            if (!isRight)
            {
                Console.Error.WriteLine(name + " is not as its golden file says");
                wrong++;
            }
        }

        Console.WriteLine(files.Length + " vectors");
        return wrong;
    }

    private static byte[] ResponseHead(int status, string name = null, string value = null)
    {
        var response = new WeirResponse { Status = status };
        if (name != null)
        {
            response.Headers[name] = value;
        }

        return Payloads.Head(response);
    }

    private static byte[] LogDetails()
    {
        return Text("took {Ms}").Concat(new byte[] { 1, 0 }).Concat(Text("Ms")).Concat(new byte[] { 2 }).Concat(Text("5")).Concat(new byte[] { 1, 0 }).Concat(Text("order 7"))
            .Concat(new byte[] { 1, 0 }).Concat(Text("Order")).Concat(new byte[] { 1 }).Concat(Text("7")).Concat(Text("0af7651916cd43dd8448eb211c80319c")).Concat(Text("b7ad6b7169203331")).ToArray();
    }

    private static byte[] Text(string text) { return BitConverter.GetBytes(text.Length).Concat(Encoding.UTF8.GetBytes(text)).ToArray(); }

    private static bool IsCaller(ClaimsPrincipal user)
    {
        return user.Identity.IsAuthenticated && user.Identity.Name == "ann" && user.Claims.Select(one => one.Type).SequenceEqual(new[] { "name", "age" })
            && user.FindFirst("age").ValueType == ClaimValueTypes.Integer32 && user.FindFirst("name").Issuer == ClaimsIdentity.DefaultIssuer;
    }

    private static bool IsFile(WeirFile file)
    {
        return file.Name == "scan" && file.FileName == "a.tif" && file.ContentType == "image/tiff" && file.Length == 123 && file.Headers.Single().Value == "image/tiff";
    }

    // The part is not agreed where the host did not offer its capability, or this worker does not choose it.
    private static bool Refuses(byte[] call, int kind)
    {
        try
        {
            CallFields.Read(call);
            return false;
        }
        catch (Exception refusal)
        {
            return refusal.Message.Contains("part kind " + kind + " is not assigned or not agreed");
        }
    }

    private static Frame Parse(byte[] bytes, Route routes)
    {
        // Byte by byte: a frame may arrive in any pieces.
        var reader = new FrameReader(routes);
        for (var i = 0; i < bytes.Length - 1; i++)
        {
            reader.Feed(new[] { bytes[i] }, 1);
            Debug.Assert(reader.Next() == null, "a frame before its end");
        }

        reader.Feed(new[] { bytes[bytes.Length - 1] }, 1);
        return reader.Next();
    }

    private static bool Is(Frame frame, Kind kind, ulong callId) { return frame.Kind == kind && frame.CallId == callId && frame.Flags == 0; }

    private static bool IsFull(CallFields call)
    {
        return call.Operation == 258 && call.RawWished && call.Credit == 65536 && call.Remaining == 1500
            && call.TraceParent == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" && call.TraceState == "k=v"
            && Encoding.UTF8.GetString(call.Values) == "{\"n\":1}" && call.Raw.Single().Key == 1 && call.Raw[0].Value.SequenceEqual(new byte[] { 0, 1, 2 });
    }

    private static bool IsHello(Hello hello)
    {
        return hello.LeastVersion == 1 && hello.MostVersion == 2 && hello.Capabilities == 24 && hello.MostPayload == 64 << 20 && hello.LogLevel == 3
            && hello.Identity == "c1" && hello.Pool == "hashing" && hello.Configuration.Single().Key == "Key" && hello.Configuration["Key"] == "secret";
    }
}
