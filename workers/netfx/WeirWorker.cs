// Serves operations of a Weir host from .NET Framework code on Mono: one file, no dependencies, C# 7.3, net472, Linux.
//
//     var worker = new WeirWorker();
//     worker.Operation("Text/Shout", (string text, int times) => string.Concat(Enumerable.Repeat(text.ToUpperInvariant(), times)));
//     worker.Operation("Text/Letters", (string text) => text.Select(letter => letter.ToString()));   // a stream, where the contract says so
//     return worker.Run(args);
//
// Arguments come by the delegate's parameter names; a CancellationToken, a WeirCall and a ClaimsPrincipal (the caller) are passed as
// well. A Task is awaited, an IEnumerable is a stream where the host's contract is one. Bytes of any length come as a Stream, a
// WeirFile or an IEnumerable<WeirFile>, and are returned as a Stream or an IEnumerable<byte[]>; items that come while the call runs
// are WeirItems<T>. System.Diagnostics.Trace appears in the host's log, and so does
// printed output. Two threads: the main thread reads calls and runs them one after the other; "weir-control" reads the control
// channel at the same time. Written from docs/protocol.md, version 1.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Security.Claims;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Weir.Workers
{
    /// <summary>A worker: register operations, then <see cref="Run"/>.</summary>
    public sealed class WeirWorker
    {
        private readonly List<Target> _targets = new List<Target>();
        private Session _session;

        /// <summary>Runs after HELLO and before the first call: pool and configuration. What it throws is the start error that the host reports.</summary>
        public Action<string, IDictionary<string, string>> Setup { get; set; }

        /// <summary>Runs when the last call has completed, if the host drains the worker and does not kill it.</summary>
        public Action Cleanup { get; set; }

        /// <summary>Registers a delegate as <c>Service/Operation</c>. The other overloads only save a cast.</summary>
        public WeirWorker Operation(string name, Delegate run)
        {
            if (_targets.Any(one => string.Equals(one.Name, name, StringComparison.OrdinalIgnoreCase)))
            {
                throw new ArgumentException(name + " is registered twice; names ignore case.");
            }

            _targets.Add(new Target(name, run));
            return this;
        }

        public WeirWorker Operation(string name, Action run) { return Operation(name, (Delegate)run); }

        public WeirWorker Operation<T1>(string name, Action<T1> run) { return Operation(name, (Delegate)run); }

        public WeirWorker Operation<T1, T2>(string name, Action<T1, T2> run) { return Operation(name, (Delegate)run); }

        public WeirWorker Operation<T1, T2, T3>(string name, Action<T1, T2, T3> run) { return Operation(name, (Delegate)run); }

        public WeirWorker Operation<TResult>(string name, Func<TResult> run) { return Operation(name, (Delegate)run); }

        public WeirWorker Operation<T1, TResult>(string name, Func<T1, TResult> run) { return Operation(name, (Delegate)run); }

        public WeirWorker Operation<T1, T2, TResult>(string name, Func<T1, T2, TResult> run) { return Operation(name, (Delegate)run); }

        public WeirWorker Operation<T1, T2, T3, TResult>(string name, Func<T1, T2, T3, TResult> run) { return Operation(name, (Delegate)run); }

        public WeirWorker Operation<T1, T2, T3, T4, TResult>(string name, Func<T1, T2, T3, T4, TResult> run) { return Operation(name, (Delegate)run); }

        /// <summary>A record in the host's log: 0 trace, 1 debug, 2 information, 3 warning, 4 error, 5 critical.</summary>
        public void Log(int level, string category, string message, Exception exception = null)
        {
            var session = _session;
            if (session != null)
            {
                session.Log(level, 0, category, message, exception == null ? "" : exception.ToString());
            }
        }

        /// <summary>The pool's shared data of this name, from <see cref="Setup"/> on: one copy in memory for all workers of the machine.</summary>
        public WeirSharedData SharedData(string name)
        {
            var found = _session == null ? null : _session.Shared.FirstOrDefault(one => one.Name == name);
            return found ?? throw new KeyNotFoundException("The pool has no shared data '" + name + "'; name it in PoolOptions.SharedData of the host.");
        }

        /// <summary>Serves calls until the host drains this worker. On the main thread; once.</summary>
        /// <returns>The exit code.</returns>
        public int Run(string[] args)
        {
            int host = 0;
            if (args.Length < 2 || args[args.Length - 2] != "--host" || !int.TryParse(args[args.Length - 1], NumberStyles.None, CultureInfo.InvariantCulture, out host))
            {
                Console.Error.WriteLine("This is a worker; a Weir host starts it with '--host <pid>' after its own arguments.");
                return Exit.Usage;
            }

            // 1. Before anything else: exit with the host, also if the host has exited since it started this process.
            LibC.prctl(LibC.SetParentDeathSignal, (UIntPtr)LibC.SigKill, UIntPtr.Zero, UIntPtr.Zero, UIntPtr.Zero);
            if (LibC.getppid() != host)
            {
                return Exit.ChannelEnded;
            }

            // 2. The channels: programs that this one starts must not inherit them.
            if (LibC.fcntl(Channel.Data, LibC.SetDescriptorFlags, LibC.CloseOnExec) != 0 || LibC.fcntl(Channel.Control, LibC.SetDescriptorFlags, LibC.CloseOnExec) != 0)
            {
                Console.Error.WriteLine("Descriptors 3 and 4 are not the channels of a Weir host.");
                return Exit.Usage;
            }

            LibC.fcntl(Channel.Page, LibC.SetDescriptorFlags, LibC.CloseOnExec); // Where it is open; this worker does not use it.

            // 3. Ctrl+C in a terminal and the stop signal of a service manager are for the host, which then drains its workers. The
            //    framework has no handler for SIGTERM, so both are ignored, also by the programs that this one starts.
            LibC.signal(LibC.SigInt, (IntPtr)1);
            LibC.signal(LibC.SigTerm, (IntPtr)1);

            _session = new Session(_targets);
            return _session.Live(Setup, Cleanup);
        }
    }

    /// <summary>The call that runs. Any thread may read it.</summary>
    public sealed class WeirCall
    {
        private readonly object _gate = new object();
        private readonly CancellationTokenSource _source = new CancellationTokenSource();
        private long _credit;
        private ClaimsPrincipal _user;
        private WeirResponse _response;

        internal WeirCall(ulong id, Target target, CallFields fields)
        {
            Id = id;
            Target = target;
            Fields = fields;
            _credit = fields.Credit;
            Clock = Stopwatch.StartNew();
        }

        public ulong Id { get; }

        public string Operation { get { return Target.Name; } }

        /// <summary>W3C trace context of the caller; null for none.</summary>
        public string TraceParent { get { return Fields.TraceParent; } }

        public string TraceState { get { return Fields.TraceState; } }

        /// <summary>Fires when the host does not need the result any more. Code that continues is killed with this process after CancelGrace.</summary>
        public CancellationToken Token { get { return _source.Token; } }

        /// <summary>What is left of the deadline; null without one.</summary>
        public TimeSpan? Remaining
        {
            get { return Fields.Remaining < 0 ? (TimeSpan?)null : TimeSpan.FromMilliseconds(Math.Max(0, Fields.Remaining - Clock.ElapsedMilliseconds)); }
        }

        /// <summary>Who calls; null for a call from code without a caller, and where the pool does not send callers.</summary>
        public ClaimsPrincipal User
        {
            get { return _user = _user ?? (Fields.Caller == null ? null : Callers.Read(Fields.Caller)); }
        }

        /// <summary>Status and headers of the response, to be set before its first byte: before the operation returns, or yields.</summary>
        public WeirResponse Response { get { return _response = _response ?? new WeirResponse(); } }

        internal Target Target { get; }

        internal CallFields Fields { get; }

        /// <summary>What comes while the call runs; null for a call without.</summary>
        internal Request Request { get; set; }

        /// <summary>Runs when the call is cancelled: wakes a thread that waits for content.</summary>
        internal Action Alarm { get; set; }

        internal bool SentHead { get; set; }

        /// <summary>What was chosen of the response and not taken yet; null for nothing.</summary>
        internal WeirResponse ChosenResponse { get { return _response != null && (_response.Status != null || _response.Headers.Count > 0) ? _response : null; } }

        internal Stopwatch Clock { get; }

        internal bool IsCancelled { get; private set; }

        // Compares with the clock: the thread that watches the deadline may be late.
        internal bool IsLate { get { return Fields.Remaining >= 0 && Clock.ElapsedMilliseconds >= Fields.Remaining; } }

        // The token's callbacks are user code: they never run on the control thread.
        internal void Cancel()
        {
            lock (_gate)
            {
                if (IsCancelled)
                {
                    return;
                }

                IsCancelled = true;
                Monitor.PulseAll(_gate);
            }

            var alarm = Alarm;
            if (alarm != null)
            {
                alarm();
            }

            ThreadPool.QueueUserWorkItem(_ => _source.Cancel());
        }

        internal void Grant(uint bytes)
        {
            lock (_gate)
            {
                if (_credit + bytes > Rules.MostCredit)
                {
                    throw new BrokenException("CreditOverflow", _credit + " and " + bytes + " bytes of credit are more than " + Rules.MostCredit);
                }

                _credit += bytes;
                Monitor.PulseAll(_gate);
            }
        }

        internal void TakeCredit(int length)
        {
            lock (_gate)
            {
                while (_credit <= 0 && !IsCancelled)
                {
                    Monitor.Wait(_gate);
                }

                ThrowIfCancelled();
                _credit -= Rules.Header + length;
            }
        }

        internal void ThrowIfCancelled()
        {
            if (IsCancelled || IsLate)
            {
                throw new OperationCanceledException(Token);
            }
        }
    }

    /// <summary>What is sent in front of a result: with its first bytes or its first item, or with the result.</summary>
    public sealed class WeirResponse
    {
        /// <summary>200 to 599; null for the usual one.</summary>
        public int? Status { get; set; }

        public IDictionary<string, string> Headers { get; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>A file that the caller sends. Of several files each is read, or not, before the next one is asked for.</summary>
    public sealed class WeirFile
    {
        private readonly Stream _content;

        internal WeirFile(Func<WeirFile, byte[]> next)
        {
            _content = new RequestStream(() => next(this));
        }

        /// <summary>The field of the form.</summary>
        public string Name { get; internal set; }

        /// <summary>What the caller says of the file; null where it is unknown.</summary>
        public string FileName { get; internal set; }

        public string ContentType { get; internal set; }

        public long? Length { get; internal set; }

        public IDictionary<string, string> Headers { get; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

        /// <summary>Its bytes, to be read once, forward; the caller sends them as they are read.</summary>
        public Stream OpenRead() { return _content; }
    }

    /// <summary>Values that the caller sends while the call runs: a parameter of this type is enumerated once.</summary>
    public sealed class WeirItems<T> : IEnumerable<T>
    {
        private readonly Func<IEnumerable<object>> _items;

        /// <summary>Of values that are there already, for tests.</summary>
        public WeirItems(IEnumerable<T> items) : this(() => items.Cast<object>()) { }

        internal WeirItems(Func<IEnumerable<object>> items) { _items = items; }

        public IEnumerator<T> GetEnumerator() { return _items().Cast<T>().GetEnumerator(); }

        IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }
    }

    /// <summary>Data that all workers of a machine share: read-only.</summary>
    public sealed class WeirSharedData
    {
        internal string Path;

        private readonly Lazy<MemoryMappedFile> _file;

        internal WeirSharedData()
        {
            _file = new Lazy<MemoryMappedFile>(() =>
                MemoryMappedFile.CreateFromFile(new FileStream(Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite), null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, false));
        }

        public string Name { get; internal set; }

        /// <summary>Bytes; a view of <see cref="File"/> may be longer, up to the end of its last page.</summary>
        public long Length { get; internal set; }

        /// <summary>Grows when the host loads the data again; this worker keeps the one that it was started with.</summary>
        public ulong Generation { get; internal set; }

        /// <summary>The data as it is mapped at the first use; for views that are read-only. Not for data of no bytes.</summary>
        public MemoryMappedFile File { get { return _file.Value; } }

        public Stream OpenRead() { return Length == 0 ? (Stream)new MemoryStream(new byte[0], false) : File.CreateViewStream(0, Length, MemoryMappedFileAccess.Read); }
    }

    /// <summary>What the caller sends has failed before its end; what was read is incomplete.</summary>
    public sealed class WeirRequestAbortedException : IOException
    {
        internal WeirRequestAbortedException(string message) : base(message) { }
    }

    /// <summary>Completes a call with an HTTP status that the operation chooses, 300 to 599.</summary>
    public sealed class WeirStatusException : Exception
    {
        public WeirStatusException(int status, string content = null, IDictionary<string, string> headers = null)
            : base(status + " " + content)
        {
            if (status < 300 || status > 599)
            {
                throw new ArgumentOutOfRangeException("status", status, "Give 300 to 599.");
            }

            Status = status;
            Content = content;
            Headers = headers ?? new Dictionary<string, string>();
        }

        public int Status { get; }

        public string Content { get; }

        public IDictionary<string, string> Headers { get; }
    }

    internal static class Exit
    {
        public const int Drained = 0, StartFailed = 1, HostBroke = 2, ChannelEnded = 3, OutOfMemory = 4, Usage = 64;
    }

    // ---- Frames.

    internal enum Kind : byte
    {
        Call = 1, Item = 2, End = 3, Abort = 4, Credit = 5, Started = 6, Result = 7, Error = 8,
        Hello = 16, Ready = 17, Cancel = 18, Returned = 20, Ping = 21, Pong = 22, Drain = 23, Log = 24, Bye = 25, Space = 26, Progress = 27, Stack = 28,
    }

    [Flags]
    internal enum Route { DataDown = 1, DataUp = 2, ControlDown = 4, ControlUp = 8 }

    internal enum CallId { Zero, Required, Optional }

    /// <summary>What the header of each type may contain.</summary>
    internal sealed class Rules
    {
        public const int Header = 16, MostPayload = 64 << 20, MostDescription = 1 << 20, MostAhead = 65536;
        public const long MostCredit = 1L << 30;
        public const int MostPiece = 64 << 10, MostCaller = 64 << 10;
        public const byte NoValue = 1, Raw = 2, Failed = 4, Head = 8;

        private const int Limit = -1; // The reader's own.

        private static readonly Dictionary<Kind, Rules> All = new Dictionary<Kind, Rules>
        {
            { Kind.Call, new Rules(Route.DataDown, 0, 24, Limit, CallId.Required) },
            { Kind.Item, new Rules(Route.DataDown | Route.DataUp, Raw, 0, Limit, CallId.Required) },
            { Kind.End, new Rules(Route.DataDown, 0, 0, 0, CallId.Required) },
            { Kind.Abort, new Rules(Route.DataDown, 0, 5, MostDescription, CallId.Required) },
            { Kind.Credit, new Rules(Route.DataDown | Route.DataUp | Route.ControlDown, 0, 4, 4, CallId.Required) },
            { Kind.Started, new Rules(Route.DataUp, 0, 0, 0, CallId.Required) },
            { Kind.Result, new Rules(Route.DataUp, NoValue | Raw, 0, Limit, CallId.Required) },
            { Kind.Error, new Rules(Route.DataUp, 0, 1, MostDescription, CallId.Required) },
            { Kind.Hello, new Rules(Route.ControlDown, 0, 28, MostDescription, CallId.Zero) },
            { Kind.Ready, new Rules(Route.ControlUp, Failed, 16, MostDescription, CallId.Zero) },
            { Kind.Cancel, new Rules(Route.ControlDown, 0, 1, 1, CallId.Required) },
            { Kind.Returned, new Rules(Route.ControlUp, 0, 8, 8, CallId.Required) },
            { Kind.Ping, new Rules(Route.ControlDown, 0, 8, 8, CallId.Zero) },
            { Kind.Pong, new Rules(Route.ControlUp, 0, 8, 8, CallId.Zero) },
            { Kind.Drain, new Rules(Route.ControlDown, 0, 0, 0, CallId.Optional) },
            { Kind.Log, new Rules(Route.ControlUp, 0, 28, MostDescription, CallId.Optional) },
            { Kind.Bye, new Rules(Route.ControlUp, 0, 5, MostDescription, CallId.Zero) },
            { Kind.Space, new Rules(Route.ControlDown, 0, 0, 0, CallId.Zero) }, // Not sent to workers without shared memory.
            { Kind.Progress, new Rules(Route.ControlUp, 0, 12, 812, CallId.Required) }, // Not sent by this worker.
            { Kind.Stack, new Rules(Route.ControlDown | Route.ControlUp, 0, 0, 64 << 10, CallId.Required) }, // Not chosen by this worker.
        };

        private readonly Route _routes;
        private readonly int _flags, _least, _most;
        private readonly CallId _callId;

        private Rules(Route routes, int flags, int least, int most, CallId callId)
        {
            _routes = routes;
            _flags = flags;
            _least = least;
            _most = most;
            _callId = callId;
        }

        /// <summary>The payload's length; the first rule that a header breaks is named.</summary>
        public static int Check(byte[] bytes, int at, Route routes, int limit)
        {
            var length = BitConverter.ToUInt32(bytes, at);
            var kind = (Kind)bytes[at + 4];
            int flags = bytes[at + 5], reserved = BitConverter.ToUInt16(bytes, at + 6);
            var callId = BitConverter.ToUInt64(bytes, at + 8);
            Rules rule;
            if (!All.TryGetValue(kind, out rule))
            {
                throw new BrokenException("UnknownType", "frame type " + (int)kind + " is not assigned");
            }

            var name = Name(kind);
            if ((rule._routes & routes) == 0)
            {
                throw new BrokenException("WrongRoute", name + " is not allowed in this direction");
            }

            // Only a worker sends the head of a response.
            var heads = (kind == Kind.Item || kind == Kind.Result) && (routes & Route.DataUp) != 0 ? Head : 0;
            if ((flags & ~(rule._flags | heads)) != 0)
            {
                throw new BrokenException("UnknownFlag", name + " carries flags 0x" + flags.ToString("x2"));
            }

            if (reserved != 0)
            {
                throw new BrokenException("ReservedBits", "the reserved bytes of " + name + " are 0x" + reserved.ToString("x4"));
            }

            if ((rule._callId == CallId.Required && callId == 0) || (rule._callId == CallId.Zero && callId != 0))
            {
                throw new BrokenException("CallId", name + " carries call id " + callId);
            }

            var most = rule._most == Limit ? limit : rule._most;
            if (length > most || (kind == Kind.Result && (flags & (NoValue | Head)) == NoValue && length != 0))
            {
                throw new BrokenException("PayloadTooLong", name + " announces " + length + " bytes, the limit is " + most);
            }

            if (length < rule._least)
            {
                throw new BrokenException("PayloadTooShort", name + " announces " + length + " bytes, it needs " + rule._least);
            }

            return (int)length;
        }

        public static string Name(Kind kind) { return kind.ToString().ToUpperInvariant(); }
    }

    /// <summary>The host broke the protocol; the name goes into BYE.</summary>
    internal sealed class BrokenException : Exception
    {
        public BrokenException(string name, string detail)
            : base(name + ": " + detail)
        {
        }
    }

    /// <summary>A payload of this worker is longer than the host accepts.</summary>
    internal sealed class TooLongException : Exception
    {
        public TooLongException(long length, long limit)
        {
            Length = length;
            Limit = limit;
        }

        public long Length { get; }

        public long Limit { get; }
    }

    internal sealed class Frame
    {
        public Kind Kind;
        public byte Flags;
        public ulong CallId;
        public byte[] Payload;

        public static byte[] Bytes(Kind kind, ulong callId, byte[] payload = null, byte flags = 0)
        {
            payload = payload ?? new byte[0];
            var bytes = new byte[Rules.Header + payload.Length];
            BitConverter.GetBytes(payload.Length).CopyTo(bytes, 0);
            bytes[4] = (byte)kind;
            bytes[5] = flags;
            BitConverter.GetBytes(callId).CopyTo(bytes, 8);
            payload.CopyTo(bytes, Rules.Header);
            return bytes;
        }
    }

    /// <summary>Turns received bytes into frames. Its buffer grows with the bytes that arrive, never with the length that a header announces.</summary>
    internal sealed class FrameReader
    {
        private readonly Route _routes;
        private readonly int _most;
        private byte[] _bytes = new byte[1 << 16];
        private int _start, _end;
        private int _length = -1;

        public FrameReader(Route routes, int most = Rules.MostPayload)
        {
            _routes = routes;
            _most = most;
        }

        public void Feed(byte[] received, int count)
        {
            if (_bytes.Length - _end < count)
            {
                var unread = _end - _start;
                var target = unread + count > _bytes.Length ? new byte[Math.Max(2 * _bytes.Length, unread + count)] : _bytes;
                Buffer.BlockCopy(_bytes, _start, target, 0, unread);
                _bytes = target;
                _start = 0;
                _end = unread;
            }

            Buffer.BlockCopy(received, 0, _bytes, _end, count);
            _end += count;
        }

        /// <summary>The next whole frame, or null.</summary>
        public Frame Next()
        {
            if (_length < 0)
            {
                if (_end - _start < Rules.Header)
                {
                    return null;
                }

                _length = Rules.Check(_bytes, _start, _routes, _most);
            }

            if (_end - _start < Rules.Header + _length)
            {
                return null;
            }

            var frame = new Frame { Kind = (Kind)_bytes[_start + 4], Flags = _bytes[_start + 5], CallId = BitConverter.ToUInt64(_bytes, _start + 8), Payload = new byte[_length] };
            Buffer.BlockCopy(_bytes, _start + Rules.Header, frame.Payload, 0, _length);
            _start += Rules.Header + _length;
            _length = -1;
            return frame;
        }
    }

    /// <summary>Reads the fields of one payload; every length is checked before it is used.</summary>
    internal sealed class FieldReader
    {
        private readonly Kind _kind;
        private readonly byte[] _payload;
        private int _at;

        public FieldReader(Kind kind, byte[] payload)
        {
            _kind = kind;
            _payload = payload;
        }

        public byte U8() { return _payload[Take(1)]; }

        public ushort U16() { return BitConverter.ToUInt16(_payload, Take(2)); }

        public uint U32() { return BitConverter.ToUInt32(_payload, Take(4)); }

        public long I64() { return BitConverter.ToInt64(_payload, Take(8)); }

        public ulong U64() { return BitConverter.ToUInt64(_payload, Take(8)); }

        public string Text()
        {
            var length = U32();
            return Encoding.UTF8.GetString(_payload, Take(length), (int)length);
        }

        public byte[] Bytes(uint count)
        {
            var bytes = new byte[Left(count)];
            Buffer.BlockCopy(_payload, Take(count), bytes, 0, bytes.Length);
            return bytes;
        }

        public void Zero(uint value)
        {
            if (value != 0)
            {
                throw Malformed("a reserved field is not 0");
            }
        }

        public int Count(uint count, int each)
        {
            if (count > (_payload.Length - _at) / each)
            {
                throw Malformed(count + " entries are announced where " + (_payload.Length - _at) + " bytes are left");
            }

            return (int)count;
        }

        public void Finish()
        {
            if (_at != _payload.Length)
            {
                throw Malformed((_payload.Length - _at) + " bytes follow the last field");
            }
        }

        public BrokenException Malformed(string detail) { return new BrokenException("MalformedPayload", Rules.Name(_kind) + ": " + detail); }

        private uint Left(uint count)
        {
            if (count > _payload.Length - _at)
            {
                throw Malformed(count + " bytes are announced where " + (_payload.Length - _at) + " are left");
            }

            return count;
        }

        private int Take(uint count)
        {
            Left(count);
            _at += (int)count;
            return _at - (int)count;
        }
    }

    // ---- The payloads.

    /// <summary>What this worker chooses where the host offers it; the first only where one of its operations takes items, content or files.</summary>
    internal static class Capability
    {
        public const uint RequestStreams = 8, ResponseHeads = 32, Content = 256, Caller = 512, SharedData = 2048, Always = ResponseHeads | Content | Caller | SharedData;
    }

    internal sealed class Hello
    {
        public int LeastVersion, MostVersion, LogLevel;
        public uint Capabilities, MostPayload;
        public string Identity, Pool;
        public Dictionary<string, string> Configuration = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        public List<WeirSharedData> Shared = new List<WeirSharedData>();

        public static Hello Read(byte[] payload)
        {
            var fields = new FieldReader(Kind.Hello, payload);
            var hello = new Hello { LeastVersion = fields.U16(), MostVersion = fields.U16(), Capabilities = fields.U32(), MostPayload = fields.U32(), LogLevel = fields.U8() };
            if (hello.LeastVersion > hello.MostVersion)
            {
                throw fields.Malformed("versions " + hello.LeastVersion + " to " + hello.MostVersion);
            }

            if (hello.LogLevel > 6)
            {
                throw fields.Malformed("log level " + hello.LogLevel + " is not assigned");
            }

            fields.Zero(fields.U8());
            fields.Zero(fields.U16());
            hello.Identity = fields.Text();
            hello.Pool = fields.Text();
            for (var left = fields.Count(fields.U32(), 8); left > 0; left--)
            {
                var key = fields.Text();
                hello.Configuration[key] = fields.Text();
            }

            if ((hello.Capabilities & Capability.SharedData) != 0)
            {
                fields.U32(); // They may be missing only where it is not offered.
                var descriptor = Channel.FirstShared;
                for (var left = fields.Count(fields.U16(), 24); left > 0; left--)
                {
                    var one = new WeirSharedData { Name = fields.Text(), Length = (long)fields.U64(), Generation = fields.U64(), Path = fields.Text() };
                    if (one.Path.Length == 0)
                    {
                        LibC.fcntl(descriptor, LibC.SetDescriptorFlags, LibC.CloseOnExec);
                        one.Path = "/proc/self/fd/" + descriptor++;
                    }

                    hello.Shared.Add(one);
                }
            }

            return hello;
        }
    }

    internal sealed class CallFields
    {
        public int Operation;
        public bool RawWished;
        public uint Credit;
        public long Remaining;
        public string TraceParent, TraceState;
        public byte[] Values, Caller;
        public List<KeyValuePair<int, byte[]>> Raw = new List<KeyValuePair<int, byte[]>>();

        public static CallFields Read(byte[] payload, bool takesCaller = false)
        {
            var fields = new FieldReader(Kind.Call, payload);
            var call = new CallFields { Operation = fields.U16() };
            var wished = fields.U8();
            if (wished > 1)
            {
                throw fields.Malformed("result encoding " + wished + " is not assigned");
            }

            call.RawWished = wished == 1;
            fields.Zero(fields.U8());
            call.Credit = fields.U32();
            call.Remaining = fields.I64();
            if (call.Remaining < -1)
            {
                throw fields.Malformed(call.Remaining + " ms are left of the deadline");
            }

            uint parentLength = fields.U8();
            fields.Zero(fields.U8());
            uint stateLength = fields.U16();
            int parts = fields.U16();
            fields.Zero(fields.U16());
            call.TraceParent = parentLength == 0 ? null : Encoding.ASCII.GetString(fields.Bytes(parentLength));
            call.TraceState = stateLength == 0 ? null : Encoding.ASCII.GetString(fields.Bytes(stateLength));
            for (; parts > 0; parts--)
            {
                var kind = fields.U8();
                if (kind > 1 && !(kind == 4 && takesCaller))
                {
                    throw fields.Malformed("part kind " + kind + " is not assigned or not agreed");
                }

                fields.Zero(fields.U8());
                int parameter = fields.U16();
                var bytes = fields.Bytes(fields.U32());
                if (kind == 1)
                {
                    call.Raw.Add(new KeyValuePair<int, byte[]>(parameter, bytes));
                }
                else if (kind == 4)
                {
                    if (call.Caller != null || parameter != 0 || bytes.Length > Rules.MostCaller)
                    {
                        throw fields.Malformed(call.Caller != null ? "two parts are the caller" : parameter != 0 ? "the caller has a parameter index" : "the caller has " + bytes.Length + " bytes");
                    }

                    call.Caller = bytes;
                }
                else if (call.Values != null || parameter != 0)
                {
                    throw fields.Malformed(parameter != 0 ? "the JSON part has a parameter index" : "two parts are JSON");
                }
                else
                {
                    call.Values = bytes;
                }
            }

            fields.Finish();
            return call;
        }
    }

    /// <summary>Writes payloads.</summary>
    internal sealed class FieldWriter
    {
        private readonly MemoryStream _bytes = new MemoryStream();

        public FieldWriter U8(int value) { _bytes.WriteByte((byte)value); return this; }

        public FieldWriter U16(int value) { return Add(BitConverter.GetBytes((ushort)value)); }

        public FieldWriter U32(uint value) { return Add(BitConverter.GetBytes(value)); }

        public FieldWriter U64(ulong value) { return Add(BitConverter.GetBytes(value)); }

        public FieldWriter Text(string value, int most = int.MaxValue)
        {
            value = value ?? "";
            var bytes = Encoding.UTF8.GetBytes(value.Length <= most ? value : value.Substring(0, most));
            return U32((uint)bytes.Length).Add(bytes);
        }

        public byte[] ToArray() { return _bytes.ToArray(); }

        private FieldWriter Add(byte[] bytes) { _bytes.Write(bytes, 0, bytes.Length); return this; }
    }

    internal static class Payloads
    {
        public const int ByeDrained = 1, ByeHostBroke = 2, ByeOutOfMemory = 3, ByeStartFailed = 4;

        public static readonly byte[] Cancelled = { 4 }, DeadlineExceeded = { 5 }, OutOfMemory = { 6 };

        public static byte[] Ready(int processId, IList<string> names, uint capabilities = 0, string identity = "", ulong[] hashes = null)
        {
            var fields = new FieldWriter().U16(Session.Version).U16(0).U32(capabilities).U32(Rules.MostPayload).U32((uint)processId).Text(identity).U32((uint)names.Count);
            for (var i = 0; i < names.Count; i++)
            {
                fields.Text(names[i]).U64(hashes == null ? 0 : hashes[i]);
            }

            return fields.ToArray();
        }

        public static byte[] StartFailed(string phase, string type, string message, string stack)
        {
            return new FieldWriter().Text(phase, 1024).Text(type, 1024).Text(message, 32768).Text(stack, 65536).ToArray();
        }

        public static byte[] Failed(string type, string message, string stack)
        {
            return new FieldWriter().U8(1).Text(type, 1024).Text(message, 32768).Text(stack, 65536).ToArray();
        }

        public static byte[] Status(WeirStatusException status)
        {
            var fields = new FieldWriter().U8(2).U16(status.Status).U8(status.Content == null ? 0 : 1).Text(status.Content).U16(status.Headers.Count);
            foreach (var pair in status.Headers)
            {
                fields.Text(pair.Key).Text(pair.Value);
            }

            return fields.ToArray();
        }

        public static byte[] Arguments(IList<BindingError> errors)
        {
            var fields = new FieldWriter().U8(3).U16(Math.Min(errors.Count, 256));
            foreach (var error in errors.Take(256))
            {
                fields.Text(error.Name, 256).Text("frame").Text(error.Reason).Text(error.Expected, 256);
            }

            return fields.ToArray();
        }

        public static byte[] TooLarge(long length, long limit) { return new FieldWriter().U8(7).U64((ulong)length).U64((ulong)limit).ToArray(); }

        /// <summary>What an ITEM or RESULT with HEAD begins with.</summary>
        public static byte[] Head(WeirResponse response)
        {
            if (response.Status < 200 || response.Status > 599)
            {
                throw new ArgumentOutOfRangeException("response", response.Status, "The status of a response is 200 to 599.");
            }

            var fields = new FieldWriter().U16(response.Status ?? 0).U16(response.Headers.Count);
            foreach (var pair in response.Headers)
            {
                if (pair.Key.Length == 0 || pair.Key.Any(letter => letter <= ' ' || letter > '~' || "\"(),/:;<=>?@[\\]{}".IndexOf(letter) >= 0) || pair.Value.IndexOfAny(new[] { '\r', '\n', '\0' }) >= 0)
                {
                    throw new ArgumentException("The header '" + pair.Key + "' of the response has a name or a value that HTTP does not allow.");
                }

                fields.Text(pair.Key).Text(pair.Value);
            }

            var bytes = fields.ToArray();
            return bytes.Length <= 65536
                ? BitConverter.GetBytes(bytes.Length).Concat(bytes).ToArray()
                : throw new ArgumentException("The headers of the response have " + bytes.Length + " bytes; at most 65536 can be sent.");
        }

        public static byte[] Log(int level, int eventId, uint dropped, string eventName, string category, string message, string exception)
        {
            return new FieldWriter().U8(level).U8(0).U16(0).U32((uint)eventId).U32(dropped)
                .Text(eventName, 1024).Text(category, 1024).Text(message, 16384).Text(exception, 16384).ToArray();
        }

        public static byte[] Bye(int reason, string message = "") { return new FieldWriter().U8(reason).Text(message, 32768).ToArray(); }

        public static byte[] U64(ulong value) { return BitConverter.GetBytes(value); }
    }

    // ---- Arguments.

    internal sealed class BindingError
    {
        public string Name, Reason, Expected;
    }

    internal sealed class BadArgumentsException : Exception
    {
        public BadArgumentsException(IList<BindingError> errors) { Errors = errors; }

        public IList<BindingError> Errors { get; }
    }

    /// <summary>One operation: the delegate, and how its arguments come.</summary>
    internal sealed class Target
    {
        private readonly Delegate _run;
        private readonly ParameterInfo[] _all;
        private readonly ParameterInfo[] _filled;

        public Target(string name, Delegate run)
        {
            Name = name;
            _run = run;
            _all = run.Method.GetParameters();

            // A compiled lambda may have a hidden first parameter of its own.
            _all = _all.Skip(_all.Length - run.GetType().GetMethod("Invoke").GetParameters().Length).ToArray();
            _filled = _all.Where(one => one.ParameterType != typeof(CancellationToken) && one.ParameterType != typeof(WeirCall) && one.ParameterType != typeof(ClaimsPrincipal)).ToArray();
            var streamed = _filled.Where(one => Streams(one.ParameterType)).ToArray();
            Streamed = streamed.Length <= 1 ? streamed.FirstOrDefault() : throw new ArgumentException(name + ": " + streamed[0].Name + " and " + streamed[1].Name + " are streamed; a call has one such parameter.");
        }

        /// <summary>The parameter whose argument comes while the call runs; null for none.</summary>
        public ParameterInfo Streamed { get; }

        public string Name { get; }

        public int Parameters { get { return _filled.Length; } }

        public object Run(object[] arguments)
        {
            try
            {
                return _run.DynamicInvoke(arguments);
            }
            catch (TargetInvocationException thrown)
            {
                System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(thrown.InnerException).Throw();
                throw;
            }
        }

        /// <summary>The arguments in the delegate's order; all errors together are thrown.</summary>
        public object[] Bind(WeirCall call)
        {
            var errors = new List<BindingError>();
            var given = new Dictionary<string, object>();
            foreach (var member in Members(call.Fields.Values, errors))
            {
                var parameter = _filled.FirstOrDefault(one => string.Equals(one.Name, member.Key, StringComparison.OrdinalIgnoreCase));
                if (parameter != null) // An argument without a parameter is ignored.
                {
                    Give(given, parameter, errors, () => Json.Convert(member.Value, parameter.ParameterType, parameter.Name, errors));
                }
            }

            foreach (var part in call.Fields.Raw)
            {
                var parameter = _filled[part.Key];
                Give(given, parameter, errors, () => parameter.ParameterType.IsAssignableFrom(typeof(byte[])) ? part.Value : Refuse(parameter, errors));
            }

            if (call.Request != null && errors.Count == 0 && !given.ContainsKey(Streamed.Name))
            {
                Open(call.Request, given);
            }

            var arguments = _all.Select(parameter =>
            {
                object value;
                return parameter.ParameterType == typeof(CancellationToken) ? call.Token
                    : parameter.ParameterType == typeof(WeirCall) ? call
                    : parameter.ParameterType == typeof(ClaimsPrincipal) ? call.User ?? new ClaimsPrincipal(new ClaimsIdentity())
                    : given.TryGetValue(parameter.Name, out value) ? value
                    : Absent(parameter, errors);
            }).ToArray();
            if (errors.Count > 0)
            {
                throw new BadArgumentsException(errors);
            }

            return arguments;
        }

        private static bool Streams(Type type)
        {
            return type == typeof(Stream) || type == typeof(WeirFile) || type == typeof(IEnumerable<WeirFile>) || (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(WeirItems<>));
        }

        // Of a file, its description comes before the operation runs.
        private void Open(Request request, Dictionary<string, object> given)
        {
            var type = Streamed.ParameterType;
            if (type == typeof(Stream))
            {
                given[Streamed.Name] = new RequestStream(request.NextPiece);
            }
            else if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(WeirItems<>))
            {
                Func<IEnumerable<object>> items = () => request.Items(Streamed.Name, type.GetGenericArguments()[0]);
                given[Streamed.Name] = Activator.CreateInstance(type, BindingFlags.Instance | BindingFlags.NonPublic, null, new object[] { items }, null);
            }
            else
            {
                var files = new RequestFiles(request);
                var file = type == typeof(WeirFile) ? files.Next() : null;
                if (file != null || type != typeof(WeirFile))
                {
                    given[Streamed.Name] = (object)file ?? files.All();
                }
            }
        }

        private static void Give(Dictionary<string, object> given, ParameterInfo parameter, List<BindingError> errors, Func<object> value)
        {
            if (given.ContainsKey(parameter.Name))
            {
                errors.Add(new BindingError { Name = parameter.Name, Reason = "duplicate", Expected = "one value, in one place" });
            }
            else
            {
                given[parameter.Name] = value();
            }
        }

        private static object Refuse(ParameterInfo parameter, List<BindingError> errors)
        {
            errors.Add(new BindingError { Name = parameter.Name, Reason = "invalid", Expected = Json.Expected(parameter.ParameterType) });
            return null;
        }

        private static object Absent(ParameterInfo parameter, List<BindingError> errors)
        {
            if (parameter.HasDefaultValue)
            {
                return parameter.DefaultValue;
            }

            if (Nullable.GetUnderlyingType(parameter.ParameterType) == null)
            {
                errors.Add(new BindingError { Name = parameter.Name, Reason = "missing", Expected = Json.Expected(parameter.ParameterType) });
            }

            return null;
        }

        private static IEnumerable<KeyValuePair<string, object>> Members(byte[] values, List<BindingError> errors)
        {
            if (values == null)
            {
                return new Json.Members();
            }

            try
            {
                var members = Json.Parse(Encoding.UTF8.GetString(values)) as Json.Members;
                if (members != null)
                {
                    return members;
                }

                errors.Add(new BindingError { Name = "$", Reason = "invalid", Expected = "a JSON object with a member per argument" });
            }
            catch (FormatException error)
            {
                errors.Add(new BindingError { Name = "$", Reason = "malformed", Expected = "JSON; " + error.Message });
            }

            return new Json.Members();
        }
    }

    // ---- Content, files and items that come while a call runs.

    /// <summary>The items of one call. The thread that wants one reads the data channel itself; what may arrive ahead is bounded by the credit.</summary>
    internal sealed class Request
    {
        private const int FirstCredit = 256 << 10, LeastCredit = 64 << 10;

        private readonly object _gate = new object(); // Code may read on a thread of its own, while the call ends.
        private readonly Session _session;
        private readonly WeirCall _call;
        private int[] _wake;
        private long _credit, _last, _owed;
        private bool _ended;
        private string _aborted;
        private volatile bool _over;

        public Request(Session session, WeirCall call)
        {
            _session = session;
            _call = call;
        }

        /// <summary>The next item; null after the last one.</summary>
        public Frame Next()
        {
            lock (_gate)
            {
                while (true)
                {
                    if (_over)
                    {
                        throw new ObjectDisposedException("request", "The call has ended; its content cannot be read any more.");
                    }

                    _call.ThrowIfCancelled();
                    if (_aborted != null)
                    {
                        throw new WeirRequestAbortedException("The caller's data ended before it was complete: " + _aborted);
                    }

                    if (_ended)
                    {
                        return null;
                    }

                    Grant();
                    var frame = _session.NextAhead();
                    if (frame == null)
                    {
                        Wait();
                    }
                    else
                    {
                        _session.Guard(() => Accept(frame));
                        if (frame.Kind == Kind.Item)
                        {
                            return frame;
                        }
                    }
                }
            }
        }

        /// <summary>The next bytes of a request that is bytes; null after the last ones.</summary>
        public byte[] NextPiece()
        {
            var item = Next();
            if (item != null && (item.Flags & Rules.Raw) == 0)
            {
                Malformed("content is not raw");
            }

            return item == null ? null : item.Payload;
        }

        public IEnumerable<object> Items(string name, Type type)
        {
            var index = 0;
            for (Frame item; (item = Next()) != null; index++)
            {
                var errors = new List<BindingError>();
                var path = name + "[" + index + "]";
                object value = item.Payload;
                try
                {
                    value = (item.Flags & Rules.Raw) != 0 ? value : Json.Convert(Json.Parse(Encoding.UTF8.GetString(item.Payload)), type, path, errors);
                }
                catch (FormatException error)
                {
                    errors.Add(new BindingError { Name = path, Reason = "malformed", Expected = "JSON; " + error.Message });
                }

                if (errors.Count > 0)
                {
                    throw new BadArgumentsException(errors);
                }

                yield return value;
            }
        }

        /// <summary>The call ends: before its outcome is sent, because nothing may be granted after it.</summary>
        public void End()
        {
            _over = true;
            Ring();
            lock (_gate)
            {
                _call.Alarm = null;
                if (_wake != null)
                {
                    LibC.close(_wake[0]);
                    LibC.close(_wake[1]);
                    _wake = null;
                }
            }
        }

        /// <summary>What the host sent cannot be: ends this process, as everywhere else.</summary>
        public void Malformed(string detail)
        {
            _session.Guard(() => { throw new BrokenException("MalformedPayload", "ITEM of call " + _call.Id + ": " + detail); });
        }

        private void Grant()
        {
            // What was taken before is consumed now.
            _owed += _last;
            _last = 0;
            var count = _credit == 0 && _owed == 0 ? FirstCredit : _owed;
            if (count >= LeastCredit)
            {
                _credit += count;
                _owed = 0;
                _session.Send(Frame.Bytes(Kind.Credit, _call.Id, BitConverter.GetBytes((uint)count)));
            }
        }

        private void Accept(Frame frame)
        {
            if (frame.CallId != _call.Id || (frame.Kind != Kind.Item && frame.Kind != Kind.End && frame.Kind != Kind.Abort))
            {
                throw new BrokenException("UnexpectedFrame", Rules.Name(frame.Kind) + " of call " + frame.CallId + " while call " + _call.Id + " takes items");
            }

            if (frame.Kind == Kind.End)
            {
                _ended = true;
            }
            else if (frame.Kind == Kind.Abort)
            {
                var fields = new FieldReader(frame.Kind, frame.Payload);
                fields.U8();
                _aborted = fields.Text();
                fields.Finish();
            }
            else if (_credit <= 0)
            {
                throw new BrokenException("CreditOverflow", "ITEM of call " + frame.CallId + " without credit");
            }
            else
            {
                _last = Rules.Header + frame.Payload.Length;
                _credit -= _last;
            }
        }

        private void Wait()
        {
            if (_wake == null)
            {
                var wake = new int[2];
                LibC.pipe2(wake, LibC.PipeCloseOnExec | LibC.PipeNonBlocking);
                _wake = wake;
                _call.Alarm = Ring;
            }

            if (!_over && !_call.IsCancelled)
            {
                var left = _call.Remaining;
                var entries = new[]
                {
                    new LibC.PollEntry { Descriptor = Channel.Data, Wanted = LibC.Readable },
                    new LibC.PollEntry { Descriptor = _wake[0], Wanted = LibC.Readable },
                };
                LibC.poll(entries, (UIntPtr)2, left == null ? -1 : (int)Math.Min(left.Value.TotalMilliseconds + 1, int.MaxValue));
            }
        }

        private void Ring()
        {
            var wake = _wake;
            if (wake != null)
            {
                LibC.write(wake[1], new byte[1], (UIntPtr)1);
            }
        }
    }

    /// <summary>Bytes that the caller sends.</summary>
    internal sealed class RequestStream : Stream
    {
        private readonly Func<byte[]> _next;
        private byte[] _piece = new byte[0];
        private int _at;

        public RequestStream(Func<byte[]> next) { _next = next; }

        public override bool CanRead { get { return true; } }

        public override bool CanSeek { get { return false; } }

        public override bool CanWrite { get { return false; } }

        public override long Length { get { throw new NotSupportedException(); } }

        public override long Position { get { throw new NotSupportedException(); } set { throw new NotSupportedException(); } }

        public override int Read(byte[] buffer, int offset, int count)
        {
            while (_piece != null && _at == _piece.Length && count > 0)
            {
                _piece = _next();
                _at = 0;
            }

            var taken = _piece == null ? 0 : Math.Min(count, _piece.Length - _at);
            if (taken > 0)
            {
                Buffer.BlockCopy(_piece, _at, buffer, offset, taken);
                _at += taken;
            }

            return taken;
        }

        public override void Flush() { }

        public override long Seek(long offset, SeekOrigin origin) { throw new NotSupportedException(); }

        public override void SetLength(long value) { throw new NotSupportedException(); }

        public override void Write(byte[] buffer, int offset, int count) { throw new NotSupportedException(); }
    }

    /// <summary>A request that is files: a description, its bytes, the next description.</summary>
    internal sealed class RequestFiles
    {
        private readonly Request _request;
        private WeirFile _current, _next;
        private bool _ended;

        public RequestFiles(Request request) { _request = request; }

        public IEnumerable<WeirFile> All()
        {
            for (WeirFile file; (file = Next()) != null;)
            {
                yield return file;
            }
        }

        /// <summary>The next file; what was not read of the one before is dropped. Null after the last one.</summary>
        public WeirFile Next()
        {
            while (_next == null && !_ended)
            {
                Take();
            }

            _current = _next;
            _next = null;
            return _current;
        }

        private byte[] Piece(WeirFile file)
        {
            if (file != _current)
            {
                throw new InvalidOperationException((file.FileName ?? file.Name) + " was passed by: the next file was asked for, and what was not read of this one was dropped.");
            }

            return _next != null || _ended ? null : Take();
        }

        // The bytes of an item; null where the file has ended.
        private byte[] Take()
        {
            var item = _request.Next();
            if (item == null)
            {
                _ended = true;
            }
            else if ((item.Flags & Rules.Raw) == 0)
            {
                _next = Describe(item.Payload, Piece);
                if (_next == null)
                {
                    _request.Malformed("the description of a file is no JSON object");
                }
            }
            else if (_current == null)
            {
                _request.Malformed("bytes before the first description of a file");
            }
            else
            {
                return item.Payload;
            }

            return null;
        }

        internal static WeirFile Describe(byte[] payload, Func<WeirFile, byte[]> next)
        {
            Json.Members members = null;
            try
            {
                members = Json.Parse(Encoding.UTF8.GetString(payload)) as Json.Members;
            }
            catch (FormatException)
            {
                // Named below.
            }

            if (members == null)
            {
                return null;
            }

            var length = Json.Member(members, "length") as Json.Number;
            var file = new WeirFile(next)
            {
                Name = Json.Member(members, "name") as string ?? "",
                FileName = Json.Member(members, "fileName") as string,
                ContentType = Json.Member(members, "contentType") as string,
                Length = length == null ? (long?)null : long.Parse(length.Text, CultureInfo.InvariantCulture),
            };
            foreach (var header in Json.Member(members, "headers") as Json.Members ?? new Json.Members())
            {
                file.Headers[header.Key] = header.Value as string;
            }

            return file;
        }
    }

    /// <summary>The caller of a call.</summary>
    internal static class Callers
    {
        public static ClaimsPrincipal Read(byte[] part)
        {
            var root = Json.Parse(Encoding.UTF8.GetString(part)) as Json.Members;
            var identities = Json.Member(root, "identities") as List<object> ?? new List<object>();
            return new ClaimsPrincipal(identities.Cast<Json.Members>().Select(Identity));
        }

        private static ClaimsIdentity Identity(Json.Members members)
        {
            var claims = Json.Member(members, "claims") as List<object> ?? new List<object>();
            return new ClaimsIdentity(claims.Cast<Json.Members>().Select(Claim), Text(members, "authenticationType"), Text(members, "nameType"), Text(members, "roleType"));
        }

        private static Claim Claim(Json.Members members) { return new Claim(Text(members, "type"), Text(members, "value"), Text(members, "valueType"), Text(members, "issuer")); }

        private static string Text(Json.Members members, string name) { return Json.Member(members, name) as string; }
    }

    /// <summary>JSON in and out; the framework's own readers are in assemblies that Mono may lack.</summary>
    internal static class Json
    {
        private const int MostDepth = 64;

        /// <summary>The members of an object in order; a name that occurs twice is in it twice.</summary>
        internal sealed class Members : List<KeyValuePair<string, object>>
        {
        }

        /// <summary>A number as it was written: only its target knows how exact it must be.</summary>
        internal sealed class Number
        {
            public string Text;
        }

        public static object Parse(string text)
        {
            var at = 0;
            var value = Parse(text, ref at, 0);
            Skip(text, ref at);
            return at == text.Length ? value : throw Wrong(text, at);
        }

        /// <summary>The value of a member; null where it is absent.</summary>
        public static object Member(Members members, string name)
        {
            return members == null ? null : members.LastOrDefault(one => one.Key == name).Value;
        }

        public static string Expected(Type type)
        {
            type = Nullable.GetUnderlyingType(type) ?? type;
            return type == typeof(string) || type == typeof(char) ? "text"
                : type == typeof(bool) ? "true or false"
                : type == typeof(byte[]) ? "bytes"
                : type == typeof(Stream) ? "content"
                : type == typeof(WeirFile) ? "a file"
                : type.IsEnum ? string.Join(", ", Enum.GetNames(type))
                : type == typeof(float) || type == typeof(double) || type == typeof(decimal) ? "a number"
                : type.IsPrimitive ? "a whole number"
                : typeof(IEnumerable).IsAssignableFrom(type) ? "an array"
                : "a value";
        }

        /// <summary>Checks a parsed value against a type and makes one of it.</summary>
        public static object Convert(object value, Type type, string path, List<BindingError> errors)
        {
            var core = Nullable.GetUnderlyingType(type);
            if (value == null)
            {
                if (type.IsValueType && core == null)
                {
                    errors.Add(new BindingError { Name = path, Reason = "null", Expected = Expected(type) });
                }

                return null;
            }

            object converted;
            if (!TryConvert(value, core ?? type, path, errors, out converted))
            {
                errors.Add(new BindingError { Name = path, Reason = "invalid", Expected = Expected(type) });
            }

            return converted;
        }

        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(text, value, 0);
            return text.ToString();
        }

        private static bool TryConvert(object value, Type type, string path, List<BindingError> errors, out object converted)
        {
            converted = null;
            var text = value as string;
            var number = value as Number;
            var members = value as Members;
            var list = value as List<object>;
            if (type == typeof(object))
            {
                converted = Plain(value);
            }
            else if (type == typeof(string))
            {
                converted = text;
            }
            else if (type == typeof(bool))
            {
                converted = value as bool?;
            }
            else if (type.IsEnum)
            {
                var name = text == null ? null : Enum.GetNames(type).FirstOrDefault(one => string.Equals(one, text, StringComparison.OrdinalIgnoreCase));
                converted = name == null ? null : Enum.Parse(type, name);
            }
            else if (type == typeof(Guid))
            {
                Guid guid;
                converted = Guid.TryParseExact(text, "D", out guid) ? (object)guid : null;
            }
            else if (type == typeof(DateTime))
            {
                DateTime date;
                converted = DateTime.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind, out date) ? (object)date : null;
            }
            else if (type.IsPrimitive || type == typeof(decimal))
            {
                // What JSON cannot hold as a number is its name.
                var isNamed = (type == typeof(float) || type == typeof(double)) && (text == "NaN" || text == "Infinity" || text == "-Infinity");
                converted = number == null && !isNamed ? null : Numeric(isNamed ? text : number.Text, type);
            }
            else if (type == typeof(byte[]) || type == typeof(Stream) || type == typeof(WeirFile) || (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(WeirItems<>)))
            {
                return false; // They are sent beside the JSON.
            }
            else if (list != null && type.IsArray)
            {
                var array = Array.CreateInstance(type.GetElementType(), list.Count);
                for (var i = 0; i < list.Count; i++)
                {
                    var item = Convert(list[i], type.GetElementType(), path + "[" + i + "]", errors);
                    array.SetValue(item ?? (array.GetType().GetElementType().IsValueType ? Activator.CreateInstance(array.GetType().GetElementType()) : null), i);
                }

                converted = array;
            }
            else if (list != null && type.IsGenericType && type.IsAssignableFrom(typeof(List<>).MakeGenericType(type.GetGenericArguments()[0])))
            {
                var element = type.GetGenericArguments()[0];
                var items = (IList)Activator.CreateInstance(typeof(List<>).MakeGenericType(element));
                for (var i = 0; i < list.Count; i++)
                {
                    var before = errors.Count;
                    var item = Convert(list[i], element, path + "[" + i + "]", errors);
                    if (errors.Count == before)
                    {
                        items.Add(item);
                    }
                }

                converted = items;
            }
            else if (members != null && type.IsGenericType && type.IsAssignableFrom(typeof(Dictionary<,>).MakeGenericType(typeof(string), type.GetGenericArguments().Last())))
            {
                var element = type.GetGenericArguments().Last();
                var map = (IDictionary)Activator.CreateInstance(typeof(Dictionary<,>).MakeGenericType(typeof(string), element));
                foreach (var member in members)
                {
                    map[member.Key] = Convert(member.Value, element, path + "." + member.Key, errors);
                }

                converted = map;
            }
            else if (members != null)
            {
                converted = Activator.CreateInstance(type);
                foreach (var member in members)
                {
                    var property = type.GetProperties().FirstOrDefault(one => one.CanWrite && string.Equals(one.Name, member.Key, StringComparison.OrdinalIgnoreCase));
                    if (property != null)
                    {
                        property.SetValue(converted, Convert(member.Value, property.PropertyType, path + "." + property.Name, errors), null);
                    }
                }
            }

            return converted != null;
        }

        private static object Numeric(string text, Type type)
        {
            try
            {
                if (type == typeof(float) || type == typeof(double))
                {
                    return System.Convert.ChangeType(double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture), type, CultureInfo.InvariantCulture);
                }

                var exact = decimal.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
                return type == typeof(decimal) ? exact : type == typeof(char) || exact != decimal.Truncate(exact) ? null : System.Convert.ChangeType(exact, type, CultureInfo.InvariantCulture);
            }
            catch (Exception error) when (error is OverflowException || error is FormatException)
            {
                return null;
            }
        }

        private static object Plain(object value)
        {
            var number = value as Number;
            var members = value as Members;
            var list = value as List<object>;
            long whole;
            return number != null ? long.TryParse(number.Text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole) ? (object)whole : double.Parse(number.Text, CultureInfo.InvariantCulture)
                : members != null ? members.GroupBy(one => one.Key).ToDictionary(one => one.Key, one => Plain(one.Last().Value))
                : list != null ? list.Select(Plain).ToList()
                : value;
        }

        private static object Parse(string text, ref int at, int depth)
        {
            // The object around the arguments is a level more, and what is in the innermost list another depth.
            if (depth > MostDepth + 1)
            {
                throw new FormatException("it is nested deeper than " + MostDepth + " levels");
            }

            Skip(text, ref at);
            switch (at < text.Length ? text[at] : '\0')
            {
                case '{':
                    return ParseObject(text, ref at, depth);
                case '[':
                    var items = new List<object>();
                    for (at++; !Ends(text, ref at, ']', items.Count);)
                    {
                        items.Add(Parse(text, ref at, depth + 1));
                    }

                    return items;
                case '"':
                    return ParseText(text, ref at);
                case 't':
                    return Word(text, ref at, "true", true);
                case 'f':
                    return Word(text, ref at, "false", false);
                case 'n':
                    return Word(text, ref at, "null", null);
                default:
                    return ParseNumber(text, ref at);
            }
        }

        private static Members ParseObject(string text, ref int at, int depth)
        {
            var members = new Members();
            for (at++; !Ends(text, ref at, '}', members.Count);)
            {
                Skip(text, ref at);
                if (at >= text.Length || text[at] != '"')
                {
                    throw Wrong(text, at);
                }

                var name = ParseText(text, ref at);
                Skip(text, ref at);
                if (at >= text.Length || text[at++] != ':')
                {
                    throw Wrong(text, at);
                }

                members.Add(new KeyValuePair<string, object>(name, Parse(text, ref at, depth + 1)));
            }

            return members;
        }

        // Goes past the comma before the next element, or past the end.
        private static bool Ends(string text, ref int at, char end, int count)
        {
            Skip(text, ref at);
            if (at < text.Length && text[at] == end)
            {
                at++;
                return true;
            }

            if (count > 0 && (at >= text.Length || text[at++] != ','))
            {
                throw Wrong(text, at);
            }

            Skip(text, ref at);
            if (count > 0 && at < text.Length && text[at] == end)
            {
                throw Wrong(text, at);
            }

            return false;
        }

        private static string ParseText(string text, ref int at)
        {
            var parsed = new StringBuilder();
            for (at++; at < text.Length; at++)
            {
                var letter = text[at];
                if (letter == '"')
                {
                    at++;
                    return parsed.ToString();
                }

                if (letter < ' ')
                {
                    break;
                }

                if (letter != '\\')
                {
                    parsed.Append(letter);
                    continue;
                }

                var escape = ++at < text.Length ? text[at] : '\0';
                var index = "\"\\/bfnrt".IndexOf(escape);
                int code;
                if (index >= 0)
                {
                    parsed.Append("\"\\/\b\f\n\r\t"[index]);
                }
                else if (escape == 'u' && at + 4 < text.Length && int.TryParse(text.Substring(at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code))
                {
                    parsed.Append((char)code);
                    at += 4;
                }
                else
                {
                    break;
                }
            }

            throw Wrong(text, at);
        }

        private static Number ParseNumber(string text, ref int at)
        {
            var start = at;
            at += at < text.Length && text[at] == '-' ? 1 : 0;
            var whole = Digits(text, ref at);
            var isWrong = whole == 0 || (whole > 1 && text[at - whole] == '0');
            if (at < text.Length && text[at] == '.')
            {
                at++;
                isWrong |= Digits(text, ref at) == 0;
            }

            if (at < text.Length && (text[at] == 'e' || text[at] == 'E'))
            {
                at++;
                at += at < text.Length && (text[at] == '+' || text[at] == '-') ? 1 : 0;
                isWrong |= Digits(text, ref at) == 0;
            }

            return isWrong ? throw Wrong(text, at) : new Number { Text = text.Substring(start, at - start) };
        }

        private static int Digits(string text, ref int at)
        {
            var start = at;
            while (at < text.Length && text[at] >= '0' && text[at] <= '9')
            {
                at++;
            }

            return at - start;
        }

        private static object Word(string text, ref int at, string word, object value)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0)
            {
                throw Wrong(text, at);
            }

            at += word.Length;
            return value;
        }

        private static void Skip(string text, ref int at)
        {
            while (at < text.Length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
            {
                at++;
            }
        }

        private static FormatException Wrong(string text, int at)
        {
            return new FormatException(at >= text.Length ? "it ends too early" : "it breaks at character " + (at + 1));
        }

        private static void Write(StringBuilder text, object value, int depth)
        {
            if (depth > MostDepth)
            {
                throw new InvalidOperationException("The result is nested deeper than " + MostDepth + " levels; a value may hold itself.");
            }

            var bytes = value as byte[];
            var map = value as IDictionary;
            var items = value as IEnumerable;
            if (value == null)
            {
                text.Append("null");
            }
            else if (value is string || value is char || value is Enum || value is Guid)
            {
                Quote(text, value.ToString());
            }
            else if (value is bool)
            {
                text.Append((bool)value ? "true" : "false");
            }
            else if (value is double || value is float)
            {
                var real = System.Convert.ToDouble(value, CultureInfo.InvariantCulture);
                if (double.IsNaN(real) || double.IsInfinity(real))
                {
                    throw new InvalidOperationException(real.ToString(CultureInfo.InvariantCulture) + " is not JSON.");
                }

                text.Append(((IFormattable)value).ToString("R", CultureInfo.InvariantCulture));
            }
            else if (value.GetType().IsPrimitive || value is decimal)
            {
                text.Append(System.Convert.ToString(value, CultureInfo.InvariantCulture));
            }
            else if (value is DateTime || value is DateTimeOffset)
            {
                Quote(text, ((IFormattable)value).ToString("O", CultureInfo.InvariantCulture));
            }
            else if (bytes != null)
            {
                Quote(text, System.Convert.ToBase64String(bytes));
            }
            else if (map != null)
            {
                Write(text, '{', '}', map.Keys.Cast<object>(), key => Member(text, key.ToString(), map[key], depth));
            }
            else if (items != null)
            {
                Write(text, '[', ']', items.Cast<object>(), item => Write(text, item, depth + 1));
            }
            else
            {
                var properties = value.GetType().GetProperties().Where(one => one.CanRead && one.GetIndexParameters().Length == 0);
                Write(text, '{', '}', properties, property => Member(text, char.ToLowerInvariant(property.Name[0]) + property.Name.Substring(1), property.GetValue(value, null), depth));
            }
        }

        private static void Write<T>(StringBuilder text, char open, char close, IEnumerable<T> parts, Action<T> write)
        {
            text.Append(open);
            var first = true;
            foreach (var part in parts)
            {
                text.Append(first ? "" : ",");
                first = false;
                write(part);
            }

            text.Append(close);
        }

        private static void Member(StringBuilder text, string name, object value, int depth)
        {
            Quote(text, name);
            text.Append(':');
            Write(text, value, depth + 1);
        }

        private static void Quote(StringBuilder text, string value)
        {
            text.Append('"');
            for (var i = 0; i < value.Length; i++)
            {
                var letter = value[i];
                var isPair = char.IsHighSurrogate(letter) && i + 1 < value.Length && char.IsLowSurrogate(value[i + 1]);
                if (letter == '"' || letter == '\\')
                {
                    text.Append('\\').Append(letter);
                }
                else if (isPair)
                {
                    text.Append(letter).Append(value[++i]);
                }
                else if (letter < ' ' || char.IsSurrogate(letter))
                {
                    text.Append("\\u").Append(((int)letter).ToString("x4"));
                }
                else
                {
                    text.Append(letter);
                }
            }

            text.Append('"');
        }
    }

    // ---- The channels.

    internal static class LibC
    {
        public const int SetParentDeathSignal = 1, SigInt = 2, SigTerm = 15, SetDescriptorFlags = 2, CloseOnExec = 1, Interrupted = 4, TryAgain = 11;
        public const int DoNotWait = 0x40, NoSignal = 0x4000, ShutReading = 0, ShutWriting = 1, PipeCloseOnExec = 0x80000, PipeNonBlocking = 0x800;
        public const uint SigKill = 9;
        public const short Readable = 0x1, Writable = 0x4, PeerEnded = 0x2000;

        [DllImport("libc")]
        public static extern int prctl(int option, UIntPtr second, UIntPtr third, UIntPtr fourth, UIntPtr fifth);

        [DllImport("libc")]
        public static extern int getppid();

        [DllImport("libc")]
        public static extern int fcntl(int descriptor, int command, int argument);

        [DllImport("libc")]
        public static extern IntPtr signal(int number, IntPtr handler);

        [DllImport("libc")]
        public static extern void _exit(int code);

        [DllImport("libc", SetLastError = true)]
        public static extern IntPtr recv(int socket, byte[] buffer, UIntPtr length, int flags);

        [DllImport("libc", SetLastError = true)]
        public static extern IntPtr send(int socket, ref byte first, UIntPtr length, int flags);

        [DllImport("libc")]
        public static extern int shutdown(int socket, int how);

        [DllImport("libc", SetLastError = true)]
        public static extern int poll([In, Out] PollEntry[] entries, UIntPtr count, int milliseconds);

        [DllImport("libc")]
        public static extern int pipe2([Out] int[] ends, int flags);

        [DllImport("libc")]
        public static extern IntPtr read(int descriptor, byte[] buffer, UIntPtr length);

        [DllImport("libc")]
        public static extern IntPtr write(int descriptor, byte[] buffer, UIntPtr length);

        [DllImport("libc")]
        public static extern int close(int descriptor);

        [StructLayout(LayoutKind.Sequential)]
        public struct PollEntry
        {
            public int Descriptor;
            public short Wanted;
            public short Happened;
        }
    }

    internal static class Channel
    {
        public const int Data = 3, Control = 4, Page = 5, FirstShared = 6;

        /// <summary>Waits for bytes; 0 is the end, a reset too. Without waiting it is -1 where there are none.</summary>
        public static int Receive(int socket, byte[] buffer, bool waits = true)
        {
            while (true)
            {
                var count = (long)LibC.recv(socket, buffer, (UIntPtr)buffer.Length, waits ? 0 : LibC.DoNotWait);
                if (count >= 0)
                {
                    return (int)count;
                }

                var error = Marshal.GetLastWin32Error();
                if (error == LibC.TryAgain && !waits)
                {
                    return -1;
                }

                if (error != LibC.Interrupted)
                {
                    return 0;
                }
            }
        }

        /// <summary>The number of bytes sent; -1 when the host does not read any more. Without waiting it may be less than all.</summary>
        public static int Send(int socket, byte[] bytes, int offset, int count, bool waits)
        {
            var sent = 0;
            while (sent < count)
            {
                var some = (long)LibC.send(socket, ref bytes[offset + sent], (UIntPtr)(count - sent), LibC.NoSignal | (waits ? 0 : LibC.DoNotWait));
                if (some >= 0)
                {
                    sent += (int)some;
                    continue;
                }

                var error = Marshal.GetLastWin32Error();
                if (error == LibC.TryAgain)
                {
                    return sent;
                }

                if (error != LibC.Interrupted)
                {
                    return -1;
                }
            }

            return sent;
        }
    }

    /// <summary>What goes up the control channel. No thread waits for the host to read: the control thread sends what is left.</summary>
    internal sealed class ControlOutput
    {
        private const int MostLog = 256 << 10, Most = 1 << 20;

        private readonly object _gate = new object();
        private readonly List<byte[]> _waiting = new List<byte[]>(); // Bounded by Most.
        private readonly int[] _wake = new int[2];
        private int _offset, _length;
        private uint _dropped;

        public ControlOutput() { LibC.pipe2(_wake, LibC.PipeCloseOnExec | LibC.PipeNonBlocking); }

        public int WakeDescriptor { get { return _wake[0]; } }

        public bool HasMore { get { lock (_gate) { return _length > 0; } } }

        public void Send(byte[] frame)
        {
            lock (_gate)
            {
                Add(frame);
                if (_length > Most)
                {
                    LibC._exit(Exit.ChannelEnded); // A host that sends PINGs and does not read the answers counts as gone.
                }

                Flush_NeedsLock();
            }
        }

        /// <summary>Sends a record. Above the limit it is dropped, and the next record has the number of dropped ones.</summary>
        public void Log(ulong callId, int level, int eventId, string category, string message, string exception)
        {
            lock (_gate)
            {
                if (_length > MostLog)
                {
                    _dropped++;
                    return;
                }

                Add(Frame.Bytes(Kind.Log, callId, Payloads.Log(level, eventId, _dropped, "", category, message, exception)));
                _dropped = 0;
                Flush_NeedsLock();
            }
        }

        public void Flush()
        {
            lock (_gate)
            {
                Flush_NeedsLock();
            }
        }

        /// <summary>Sends the last frame; waits a short time for the host to read it.</summary>
        public void Finish(byte[] frame, int milliseconds)
        {
            var clock = Stopwatch.StartNew();
            lock (_gate)
            {
                Add(frame);
                while (Flush_NeedsLock() && clock.ElapsedMilliseconds < milliseconds)
                {
                    var entries = new[] { new LibC.PollEntry { Descriptor = Channel.Control, Wanted = LibC.Writable } };
                    LibC.poll(entries, (UIntPtr)1, (int)Math.Max(0, milliseconds - clock.ElapsedMilliseconds));
                }
            }
        }

        /// <summary>Wakes the control thread, which then checks for work.</summary>
        public void Nudge() { LibC.write(_wake[1], new byte[1], (UIntPtr)1); }

        private void Add(byte[] frame)
        {
            _waiting.Add(frame);
            _length += frame.Length;
        }

        private bool Flush_NeedsLock()
        {
            while (_waiting.Count > 0)
            {
                var frame = _waiting[0];
                var sent = Channel.Send(Channel.Control, frame, _offset, frame.Length - _offset, waits: false);
                if (sent < 0)
                {
                    _waiting.Clear(); // The host is gone; the end of the channel reports it.
                    _length = 0;
                    return false;
                }

                _length -= sent;
                _offset += sent;
                if (_offset < frame.Length)
                {
                    Nudge();
                    return true;
                }

                _waiting.RemoveAt(0);
                _offset = 0;
            }

            return false;
        }
    }

    // ---- The session.

    /// <summary>A worker between its two channels: HELLO, READY, calls, DRAIN, BYE.</summary>
    internal sealed class Session
    {
        public const int Version = 1;

        private readonly IList<Target> _targets;
        private readonly ControlOutput _output = new ControlOutput();
        private readonly ManualResetEventSlim _helloRead = new ManualResetEventSlim();
        private readonly FrameReader _reader = new FrameReader(Route.DataDown);
        private readonly byte[] _received = new byte[1 << 18];
        private readonly object _gate = new object(), _sending = new object();
        private Hello _hello;
        private uint _chosen; // Capabilities.

        // Under _gate: the state of calls that both threads use.
        private readonly HashSet<ulong> _cancelledEarly = new HashSet<ulong>(); // At most MostAhead ids.
        private WeirCall _running;
        private bool _isReady;
        private ulong _lastRead, _lastStarted;
        private ulong? _lastSent; // Set by DRAIN.

        private volatile bool _leaving;

        // What the control thread's clock was set to at last; -1 for nothing. A call whose deadline is sooner wakes it.
        private volatile int _watchedMilliseconds = -1;

        public Session(IList<Target> targets) { _targets = targets; }

        public IEnumerable<WeirSharedData> Shared { get { return _hello == null ? Enumerable.Empty<WeirSharedData>() : _hello.Shared; } }

        public void Log(int level, int eventId, string category, string message, string exception)
        {
            var hello = _hello;
            if (hello != null && level >= hello.LogLevel)
            {
                var call = _running;
                _output.Log(call == null ? 0 : call.Id, level, eventId, category, message, exception);
            }
        }

        public int Live(Action<string, IDictionary<string, string>> setup, Action cleanup)
        {
            new Thread(() => Guard(ReadControl)) { Name = "weir-control", IsBackground = true }.Start();
            _helloRead.Wait();
            var phase = "agree version";
            try
            {
                if (_hello.LeastVersion > Version || _hello.MostVersion < Version)
                {
                    throw new NotSupportedException("The host supports versions " + _hello.LeastVersion + " to " + _hello.MostVersion + " of the protocol, this worker " + Version + ".");
                }

                phase = "build services";
                Trace.Listeners.Clear();
                Trace.Listeners.Add(new FrameListener(this));
                if (setup != null)
                {
                    setup(_hello.Pool, _hello.Configuration);
                }
            }
            catch (Exception error)
            {
                _output.Send(Frame.Bytes(Kind.Ready, 0, Payloads.StartFailed(phase, error.GetType().FullName, error.Message, error.ToString()), Rules.Failed));
                Leave(Payloads.ByeStartFailed, phase);
                return Exit.StartFailed;
            }

            lock (_gate)
            {
                _isReady = true;
            }

            _chosen = _hello.Capabilities & (Capability.Always | (_targets.Any(one => one.Streamed != null) ? Capability.RequestStreams : 0));
            _output.Send(Frame.Bytes(Kind.Ready, 0, Payloads.Ready(Process.GetCurrentProcess().Id, _targets.Select(one => one.Name).ToList(), _chosen)));
            Guard(Serve);
            try
            {
                if (cleanup != null)
                {
                    cleanup();
                }
            }
            catch (Exception error)
            {
                Console.Error.WriteLine(error);
            }

            Leave(Payloads.ByeDrained, "");
            return Exit.Drained;
        }

        public void Guard(Action work)
        {
            try
            {
                work();
            }
            catch (BrokenException error)
            {
                _output.Finish(Frame.Bytes(Kind.Bye, 0, Payloads.Bye(Payloads.ByeHostBroke, error.Message)), 1000);
                LibC._exit(Exit.HostBroke);
            }
        }

        // ---- data: the main thread reads, runs, answers.

        private void Serve()
        {
            while (true)
            {
                for (Frame frame; (frame = _reader.Next()) != null;)
                {
                    if (frame.Kind == Kind.Call)
                    {
                        Take(frame);
                    }
                    else if ((_chosen & Capability.RequestStreams) == 0 || frame.Kind == Kind.Credit || frame.CallId > _lastRead)
                    {
                        throw new BrokenException("UnexpectedFrame", Rules.Name(frame.Kind) + " of call " + frame.CallId + " was not agreed on");
                    } // What was on its way to a call that has ended is dropped.
                }

                var count = Channel.Receive(Channel.Data, _received);
                if (count == 0)
                {
                    break;
                }

                _reader.Feed(_received, count);
            }

            if (!_leaving)
            {
                LibC._exit(Exit.ChannelEnded);
            }
        }

        /// <summary>The next frame that has arrived, without waiting; for a call that takes items. Null for none.</summary>
        public Frame NextAhead()
        {
            while (true)
            {
                Frame frame = null;
                Guard(() => frame = _reader.Next());
                if (frame != null)
                {
                    return frame;
                }

                var count = Channel.Receive(Channel.Data, _received, waits: false);
                if (count < 0)
                {
                    return null;
                }

                if (count == 0)
                {
                    LibC._exit(Exit.ChannelEnded);
                }

                _reader.Feed(_received, count);
            }
        }

        private void Take(Frame frame)
        {
            var fields = CallFields.Read(frame.Payload, (_chosen & Capability.Caller) != 0);
            if (fields.Operation >= _targets.Count)
            {
                throw new BrokenException("MalformedPayload", "CALL " + frame.CallId + " is for operation " + fields.Operation + " of " + _targets.Count);
            }

            var target = _targets[fields.Operation];
            if (fields.Raw.Any(part => part.Key >= target.Parameters))
            {
                throw new BrokenException("MalformedPayload", "CALL " + frame.CallId + " has a raw part for a parameter that " + target.Name + " does not have");
            }

            var call = new WeirCall(frame.CallId, target, fields);
            if (!TryStart(call))
            {
                return;
            }

            // Sent before any user code runs: if the worker fails, the host knows by STARTED which call had started.
            Send(Frame.Bytes(Kind.Started, call.Id));
            if (fields.Remaining >= 0 && (_watchedMilliseconds < 0 || fields.Remaining < _watchedMilliseconds))
            {
                _output.Nudge();
            }

            if (target.Streamed != null && (_chosen & Capability.RequestStreams) != 0)
            {
                call.Request = new Request(this, call);
            }

            var answer = Answer(call);
            if (call.Request != null)
            {
                call.Request.End();
            }

            Send(answer);
            bool drained;
            lock (_gate)
            {
                _running = null;
                drained = _lastSent != null;
            }

            if (drained)
            {
                BeginLeaving();
            }
        }

        private bool TryStart(WeirCall call)
        {
            lock (_gate)
            {
                if (call.Id != _lastRead + 1)
                {
                    throw new BrokenException("SequenceGap", "call " + call.Id + " follows call " + _lastRead);
                }

                _lastRead = call.Id;
                if (_lastSent != null)
                {
                    return call.Id <= _lastSent ? false : throw new BrokenException("UnexpectedFrame", "call " + call.Id + " after DRAIN said that " + _lastSent + " is the last");
                }

                _lastStarted = call.Id;
                _running = call;
                if (_cancelledEarly.Remove(call.Id))
                {
                    call.Cancel();
                }

                return true;
            }
        }

        // Runs a call and sends its items. Returns the frame that completes it.
        private byte[] Answer(WeirCall call)
        {
            byte[] answer;
            try
            {
                call.ThrowIfCancelled();
                answer = Run(call);
            }
            catch (OutOfMemoryException)
            {
                Send(Frame.Bytes(Kind.Error, call.Id, Payloads.OutOfMemory));
                _output.Finish(Frame.Bytes(Kind.Bye, 0, Payloads.Bye(Payloads.ByeOutOfMemory)), 1000);
                LibC._exit(Exit.OutOfMemory);
                throw;
            }
            catch (Exception error)
            {
                answer = Frame.Bytes(Kind.Error, call.Id, Failure(call, error));
            }

            return call.IsLate ? Frame.Bytes(Kind.Error, call.Id, Payloads.DeadlineExceeded) : answer;
        }

        private byte[] Run(WeirCall call)
        {
            var result = call.Target.Run(call.Target.Bind(call));
            var task = result as Task;
            if (task != null)
            {
                task.GetAwaiter().GetResult();
                var value = task.GetType().GetProperty("Result");

                // An asynchronous method without a result returns a value of an internal type.
                result = value == null || !value.PropertyType.IsVisible ? null : value.GetValue(task, null);
            }

            if (call.Fields.Credit > 0)
            {
                if (call.Fields.RawWished)
                {
                    SendContent(call, result);
                }
                else
                {
                    SendItems(call, result as IEnumerable);
                }

                return Headed(call, Kind.Result, new byte[0], Rules.NoValue);
            }

            byte flags;
            var payload = Encode(result, call.Fields.RawWished, out flags);
            return Headed(call, Kind.Result, payload, flags);
        }

        // A frame with the status and headers that the operation chose, where they were not sent yet.
        private byte[] Headed(WeirCall call, Kind kind, byte[] payload, byte flags)
        {
            var response = call.ChosenResponse;
            if (response == null || call.SentHead)
            {
                return Frame.Bytes(kind, call.Id, payload, flags);
            }

            if ((_chosen & Capability.ResponseHeads) == 0)
            {
                throw new InvalidOperationException(call.Operation + " chose a status or headers of its response, and the host takes none from its workers.");
            }

            var head = Payloads.Head(response);
            call.SentHead = true;
            return Frame.Bytes(kind, call.Id, head.Concat(payload).ToArray(), (byte)(flags | Rules.Head));
        }

        private byte[] Encode(object value, bool rawWished, out byte flags)
        {
            var text = rawWished ? value as string : null;
            var bytes = rawWished ? value as byte[] ?? (text == null ? null : Encoding.UTF8.GetBytes(text)) : null;
            flags = bytes == null ? (byte)0 : Rules.Raw;
            bytes = bytes ?? Encoding.UTF8.GetBytes(Json.Write(value));
            return bytes.Length <= _hello.MostPayload ? bytes : throw new TooLongException(bytes.Length, _hello.MostPayload);
        }

        private void SendItems(WeirCall call, IEnumerable items)
        {
            if (items == null)
            {
                throw new InvalidOperationException(call.Operation + " returned no items, but the host's contract is a stream.");
            }

            foreach (var item in items)
            {
                call.ThrowIfCancelled();
                byte flags;
                var payload = Encode(item, false, out flags);
                SendItem(call, payload, 0);
            }
        }

        private void SendItem(WeirCall call, byte[] payload, byte flags)
        {
            call.TakeCredit(payload.Length);
            Send(Headed(call, Kind.Item, payload, flags));
            call.SentHead = true; // One that is chosen later is too late.
        }

        // What a stream or an iterator gives, in pieces of 64 KB.
        private void SendContent(WeirCall call, object result)
        {
            var stream = result as Stream;
            var bytes = result as byte[];
            var pieces = stream != null ? Pieces(stream) : bytes != null ? new[] { bytes } : result as IEnumerable<byte[]>;
            if (pieces == null)
            {
                throw new InvalidOperationException(call.Operation + " returned no content, but the host's contract is a Stream; return a Stream, a byte[], or an IEnumerable<byte[]>.");
            }

            using (stream)
            {
                var known = bytes != null ? bytes.Length : stream != null && stream.CanSeek ? stream.Length - stream.Position : (long?)null;
                if (known != null && (_chosen & Capability.ResponseHeads) != 0 && !call.Response.Headers.ContainsKey("Content-Length"))
                {
                    call.Response.Headers["Content-Length"] = known.Value.ToString(CultureInfo.InvariantCulture);
                }

                // They arrive before the first byte exists. The code of an iterator that has chosen none has not run yet.
                if (stream != null || call.ChosenResponse != null)
                {
                    SendItem(call, new byte[0], Rules.Raw);
                }

                long sent = 0;
                foreach (var piece in pieces)
                {
                    for (var start = 0; start < piece.Length; start += Rules.MostPiece)
                    {
                        call.ThrowIfCancelled();
                        var part = start == 0 && piece.Length <= Rules.MostPiece ? piece : piece.Skip(start).Take(Rules.MostPiece).ToArray();
                        sent += part.Length;
                        CheckLength(call, sent, false);
                        SendItem(call, part, Rules.Raw);
                    }
                }

                CheckLength(call, sent, true);
            }
        }

        private static IEnumerable<byte[]> Pieces(Stream stream)
        {
            var buffer = new byte[Rules.MostPiece];
            for (int count; (count = stream.Read(buffer, 0, buffer.Length)) > 0;)
            {
                var piece = new byte[count];
                Buffer.BlockCopy(buffer, 0, piece, 0, count);
                yield return piece;
            }
        }

        private static void CheckLength(WeirCall call, long sent, bool isEnd)
        {
            string text;
            long declared;
            var response = call.ChosenResponse;
            if (response != null && response.Headers.TryGetValue("Content-Length", out text) && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out declared) && (sent > declared || (isEnd && sent < declared)))
            {
                throw new InvalidOperationException(call.Operation + " gave " + sent + " bytes" + (isEnd ? "" : " or more") + ", and its Content-Length says " + declared + ".");
            }
        }

        private static byte[] Failure(WeirCall call, Exception error)
        {
            var status = error as WeirStatusException;
            var arguments = error as BadArgumentsException;
            var tooLong = error as TooLongException;
            if ((error is OperationCanceledException && call.IsCancelled) || error is WeirRequestAbortedException)
            {
                return Payloads.Cancelled;
            }

            if (arguments != null)
            {
                return Payloads.Arguments(arguments.Errors);
            }

            if (tooLong != null)
            {
                return Payloads.TooLarge(tooLong.Length, tooLong.Limit);
            }

            if (status != null)
            {
                var payload = Payloads.Status(status);
                return payload.Length <= Rules.MostDescription ? payload : Payloads.TooLarge(payload.Length, Rules.MostDescription);
            }

            return Payloads.Failed(error.GetType().FullName, error.Message, error.ToString());
        }

        public void Send(byte[] frame)
        {
            lock (_sending) // A thread that reads content sends credit.
            {
                if (Channel.Send(Channel.Data, frame, 0, frame.Length, waits: true) < 0)
                {
                    LibC._exit(Exit.ChannelEnded);
                }
            }
        }

        // ---- control: reads the control channel while calls run. It runs no user code and never waits for the host.

        private void ReadControl()
        {
            var reader = new FrameReader(Route.ControlDown, Rules.MostDescription);
            var buffer = new byte[1 << 16];
            var entries = new LibC.PollEntry[3];
            while (true)
            {
                // The other thread may never return from user code: the end of its channel is noticed here.
                entries[0] = new LibC.PollEntry { Descriptor = Channel.Control, Wanted = (short)(LibC.Readable | (_output.HasMore ? LibC.Writable : 0)) };
                entries[1] = new LibC.PollEntry { Descriptor = Channel.Data, Wanted = LibC.PeerEnded };
                entries[2] = new LibC.PollEntry { Descriptor = _output.WakeDescriptor, Wanted = LibC.Readable };
                if (LibC.poll(entries, (UIntPtr)3, UntilDeadline()) < 0)
                {
                    continue;
                }

                if (entries[2].Happened != 0)
                {
                    LibC.read(_output.WakeDescriptor, buffer, (UIntPtr)buffer.Length);
                }

                if ((entries[0].Happened & LibC.Writable) != 0)
                {
                    _output.Flush();
                }

                if ((entries[0].Happened & ~LibC.Writable) != 0)
                {
                    var count = Channel.Receive(Channel.Control, buffer);
                    if (count == 0)
                    {
                        HostGone();
                        return;
                    }

                    reader.Feed(buffer, count);
                    for (Frame frame; (frame = reader.Next()) != null;)
                    {
                        OnControl(frame);
                    }
                }
                else if (entries[1].Happened != 0)
                {
                    HostGone();
                    return;
                }
            }
        }

        private void HostGone()
        {
            if (!_leaving)
            {
                LibC._exit(Exit.ChannelEnded);
            }
        }

        // Milliseconds until the running call is late; cancels one that is.
        private int UntilDeadline()
        {
            WeirCall call;
            lock (_gate)
            {
                call = _running;
            }

            _watchedMilliseconds = -1;
            if (call == null || call.Fields.Remaining < 0 || call.IsCancelled)
            {
                return -1;
            }

            var left = call.Fields.Remaining - call.Clock.ElapsedMilliseconds;
            if (left <= 0)
            {
                call.Cancel();
                return -1;
            }

            _watchedMilliseconds = (int)Math.Min(left, int.MaxValue);
            return _watchedMilliseconds;
        }

        private void OnControl(Frame frame)
        {
            var fields = new FieldReader(frame.Kind, frame.Payload);
            switch (frame.Kind)
            {
                case Kind.Ping:
                    _output.Send(Frame.Bytes(Kind.Pong, 0, frame.Payload));
                    break;
                case Kind.Hello:
                    if (_hello != null)
                    {
                        throw new BrokenException("UnexpectedFrame", "HELLO twice");
                    }

                    _hello = Hello.Read(frame.Payload);
                    _helloRead.Set();
                    break;
                case Kind.Cancel when _isReady:
                    Cancel(frame.CallId);
                    break;
                case Kind.Credit when _isReady:
                    Grant(frame.CallId, fields);
                    break;
                case Kind.Drain when _isReady:
                    Drain(frame.CallId);
                    break;
                default:
                    throw new BrokenException("UnexpectedFrame", Rules.Name(frame.Kind) + (_isReady ? " was not agreed on" : " before READY"));
            }
        }

        private void Cancel(ulong callId)
        {
            WeirCall call;
            lock (_gate)
            {
                call = _running != null && _running.Id == callId ? _running : null;
                if (callId > _lastRead && _lastSent == null)
                {
                    if (callId - _lastRead > Rules.MostAhead)
                    {
                        throw new BrokenException("UnexpectedFrame", "CANCEL of call " + callId + ", " + (callId - _lastRead) + " calls after the last one read");
                    }

                    _cancelledEarly.Add(callId);
                }
            }

            if (call != null)
            {
                call.Cancel();
            }
        }

        private void Grant(ulong callId, FieldReader fields)
        {
            var bytes = fields.U32();
            if (bytes == 0)
            {
                throw fields.Malformed("no bytes are granted");
            }

            WeirCall call;
            lock (_gate)
            {
                call = _running != null && _running.Id == callId ? _running : null;
            }

            if (call != null)
            {
                call.Grant(bytes);
            }
        }

        private void Drain(ulong last)
        {
            bool idle;
            lock (_gate)
            {
                if (_lastSent != null || last < _lastRead)
                {
                    throw new BrokenException("UnexpectedFrame", _lastSent != null ? "DRAIN twice" : "DRAIN says that " + last + " is the last call, but call " + _lastRead + " was read already");
                }

                _lastSent = last;
                _output.Send(Frame.Bytes(Kind.Returned, _lastStarted + 1, Payloads.U64(last)));
                idle = _running == null;
            }

            if (idle)
            {
                BeginLeaving();
            }
        }

        // The main thread may wait for bytes: the end of the channel wakes it, and it exits.
        private void BeginLeaving()
        {
            _leaving = true;
            LibC.shutdown(Channel.Data, LibC.ShutReading);
        }

        // BYE counts only after the end of the data channel.
        private void Leave(int reason, string message)
        {
            _leaving = true;
            LibC.shutdown(Channel.Data, LibC.ShutWriting);
            _output.Finish(Frame.Bytes(Kind.Bye, 0, Payloads.Bye(reason, message)), 5000);
        }

        /// <summary>System.Diagnostics.Trace as records of the host's log.</summary>
        private sealed class FrameListener : TraceListener
        {
            private readonly Session _session;

            public FrameListener(Session session) { _session = session; }

            public override void Write(string message) { WriteLine(message); }

            public override void WriteLine(string message) { _session.Log(1, 0, "Trace", message, ""); }

            public override void TraceEvent(TraceEventCache cache, string source, TraceEventType type, int id, string message)
            {
                var level = type == TraceEventType.Critical ? 5 : type == TraceEventType.Error ? 4 : type == TraceEventType.Warning ? 3 : type == TraceEventType.Information ? 2 : 1;
                _session.Log(level, id, source, message, "");
            }

            public override void TraceEvent(TraceEventCache cache, string source, TraceEventType type, int id, string format, params object[] args)
            {
                TraceEvent(cache, source, type, id, args == null ? format : string.Format(CultureInfo.InvariantCulture, format, args));
            }
        }
    }
}
