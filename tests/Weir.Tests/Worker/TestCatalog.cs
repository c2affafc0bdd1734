using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Weir.Runtime;
using Weir.Tests.Contract;

namespace Weir.Tests.Worker;

/// <summary>The code that the generator would write for one service whose operations are delegates.</summary>
internal sealed class TestCatalog : ServiceCatalog
{
    internal const string Pool = "tests";

    private readonly List<Operation> _operations = [];
    private Service? _service;

    internal Func<WorkerStartup, IServiceProvider?>? WorkerServices { get; init; }

    internal Action<IServiceCollection, WorkerStartup>? RegisterServices { get; init; }

    internal Func<IServiceProvider, object> Create { get; init; } = _ => new object();

    internal bool IsShared { get; init; }

    internal bool NeedsServices { get; init; }

    public override string AssemblyName => "Tests";

    public override Guid Identity { get; } = new("0f8fad5b-d9cb-469f-a165-70867728950e");

    public override IReadOnlyList<Service> Services =>
    [
        _service ??= new Service
        {
            Name = "Test",
            TypeName = "App.Test",
            CreateInstance = Create,
            IsShared = IsShared,
            NeedsServices = NeedsServices,
            Operations = _operations,
        },
    ];

    public override IReadOnlyList<Proxy> Proxies => [];

    public override WorkerServicesForm WorkerServicesForm =>
        RegisterServices is not null ? WorkerServicesForm.Collection : WorkerServices is not null ? WorkerServicesForm.Provider : WorkerServicesForm.None;

    public override IServiceProvider? CreateWorkerServices(object startup) => WorkerServices!((WorkerStartup)startup);

    public override void ConfigureWorkerServices(object services, object startup) => RegisterServices!((IServiceCollection)services, (WorkerStartup)startup);

    /// <summary>Runs on the data thread.</summary>
    internal TestCatalog Sync(Func<TestCall, CancellationToken, string?> run, ResultKind kind = ResultKind.Text, bool usesContext = false, string? pool = Pool) =>
        Add(kind, synchronous: true, usesContext, pool, operation => new TestCall(operation, (call, token) => new ValueTask<string?>(run(call, token))));

    /// <summary>Begins on the data thread, where calls run one after the other.</summary>
    internal TestCatalog Async(Func<TestCall, CancellationToken, ValueTask<string?>> run, bool usesContext = false) =>
        Add(ResultKind.Text, synchronous: false, usesContext, Pool, operation => new TestCall(operation, run));

    internal TestCatalog Stream(Func<CancellationToken, IAsyncEnumerable<int>> items) =>
        Add(ResultKind.Stream, synchronous: false, false, Pool, operation => new TestStream(operation, items, null));

    /// <summary>Runs on its own thread.</summary>
    internal TestCatalog Blocking(Func<CancellationToken, IEnumerable<int>> items) =>
        Add(ResultKind.Stream, synchronous: true, false, Pool, operation => new TestStream(operation, null, items));

    /// <summary>A call object of the test's own.</summary>
    internal TestCatalog Reusable(Func<Operation, Call> create) => Add(ResultKind.Value, synchronous: true, false, Pool, create, ignoresCancellation: true);

    /// <summary>Takes its caller's numbers one by one.</summary>
    internal TestCatalog Items(Func<IAsyncEnumerable<int>, CancellationToken, ValueTask<string?>> run, bool blocks = false) =>
        Add(
            ResultKind.Text,
            synchronous: blocks,
            false,
            Pool,
            operation => new ItemsCall(operation, run),
            parameters: [new("text", "string", ParameterSource.Value, true), new("numbers", "IAsyncEnumerable<int>", ParameterSource.Items, false)]);

    /// <summary>Takes content, and returns content.</summary>
    internal TestCatalog Content(Func<Stream, OperationContext?, CancellationToken, ValueTask<Stream>> run, bool usesContext = false, bool takesContent = true) =>
        Add(
            ResultKind.Raw,
            synchronous: false,
            usesContext,
            Pool,
            operation => new ContentCall(operation, run),
            parameters: takesContent ? [new("content", "Stream", ParameterSource.Stream, false)] : []);

    internal TestCatalog Nothing(Action run)
    {
        return Add(ResultKind.None, synchronous: true, false, Pool, operation => new NothingCall(operation, run));
    }

    private TestCatalog Add(ResultKind kind, bool synchronous, bool usesContext, string? pool, Func<Operation, Call> create, bool ignoresCancellation = false, Parameter[]? parameters = null)
    {
        _operations.Add(new Operation
        {
            Name = $"Op{_operations.Count}",
            Verbs = Verbs.Post,
            Placement = pool is null ? Placement.Inline : Placement.Isolated,
            Pool = pool,
            ResultKind = kind,
            IsResultNullable = true,
            IsSynchronous = synchronous,
            UsesContext = usesContext,
            IgnoresCancellation = ignoresCancellation,
            Parameters = parameters ?? [new("text", "string", ParameterSource.Value, false), new("data", "ReadOnlyMemory<byte>", ParameterSource.Raw, true)],
            Signature = 0x100 + (ulong)_operations.Count,
            CreateCall = create,
        });
        return this;
    }

    private sealed class NothingCall(Operation operation, Action run) : VoidCall(operation)
    {
        public override void Bind(ArgumentReader reader)
        {
            while (reader.MoveNext())
            {
                reader.SkipUnknown();
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
        }

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            run();
            return default;
        }
    }

    private sealed class ItemsCall(Operation operation, Func<IAsyncEnumerable<int>, CancellationToken, ValueTask<string?>> run) : Call<string?>(operation)
    {
        private IAsyncEnumerable<int>? _numbers;

        public override void Bind(ArgumentReader reader)
        {
            while (reader.MoveNext())
            {
                reader.SkipUnknown();
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
        }

        public override void TakeItems(ItemReader items) => _numbers = NumberItems.Instance.Receive(items, "numbers");

        public override async ValueTask InvokeAsync(object service, CancellationToken cancellationToken) =>
            Value = await run(Items(_numbers!, cancellationToken), cancellationToken);

        protected override void Encode(PayloadWriter output, string? value, ResultEncoding encoding) => PayloadReader.WriteText(output, value, encoding);

        protected override string? Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.ReadText(payload, encoding);
    }

    private sealed class ContentCall(Operation operation, Func<Stream, OperationContext?, CancellationToken, ValueTask<Stream>> run) : Call<Stream>(operation)
    {
        private Stream _content = System.IO.Stream.Null;

        public override void Bind(ArgumentReader reader)
        {
            while (reader.MoveNext())
            {
                reader.SkipUnknown();
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
        }

        public override void TakeItems(ItemReader items) => _content = ContentItems.ReceiveStream(items);

        public override async ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => Value = await run(_content, Context, cancellationToken);

        protected override void Encode(PayloadWriter output, Stream value, ResultEncoding encoding) => throw IsHostOnly();

        protected override Stream Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => throw IsHostOnly();
    }

    private sealed class TestStream(Operation operation, Func<CancellationToken, IAsyncEnumerable<int>>? items, Func<CancellationToken, IEnumerable<int>>? blocking) : StreamCall<int>(operation)
    {
        public override void Bind(ArgumentReader reader)
        {
            while (reader.MoveNext())
            {
                reader.SkipUnknown();
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
        }

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            if (items is not null)
            {
                Yield(items(cancellationToken), cancellationToken);
            }
            else
            {
                Yield(blocking!(cancellationToken));
            }

            return default;
        }

        public override void WriteItem(PayloadWriter output, int item)
        {
            output.BeginJson().WriteNumberValue(item);
            output.EndJson();
        }

        public override int ReadItem(ReadOnlySpan<byte> item) => JsonSerializer.Deserialize<int>(item);
    }
}

/// <summary>A call with one text argument, one of bytes, and a text as its result.</summary>
internal sealed class TestCall(Operation operation, Func<TestCall, CancellationToken, ValueTask<string?>> run) : Call<string?>(operation)
{
    internal string? Text { get; private set; }

    internal ReadOnlyMemory<byte> Data { get; private set; }

    internal object? Instance { get; private set; }

    public override void Bind(ArgumentReader reader)
    {
        var seen = 0UL;
        while (reader.MoveNext())
        {
            if (reader.Is("text") && reader.Begin(ref seen, 0, "text"))
            {
                Text = reader.Read(Scalars.String);
                reader.End(ref seen, 0, optional: false);
            }
            else if (reader.Is("data") && reader.Begin(ref seen, 1, "data"))
            {
                Data = reader.ReadBytes();
                reader.End(ref seen, 1, optional: true);
            }
        }

        if ((seen & 1) == 0)
        {
            reader.Missing("text", Scalars.String.Expected);
        }
    }

    public override void WriteArguments(ArgumentWriter writer)
    {
    }

    public override async ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
    {
        Instance = service;
        Value = await run(this, cancellationToken);
    }

    protected override void Encode(PayloadWriter output, string? value, ResultEncoding encoding) => PayloadReader.WriteText(output, value, encoding);

    protected override string? Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.ReadText(payload, encoding);
}
