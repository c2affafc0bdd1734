// The hand-written twin of the generator's output for Services.cs: same types, same members, same behaviour.
// One file per service in the real output, plus one for the types they exchange, one for the catalog, one for AddWeir.
#nullable enable

using System.Text.Json;

namespace Weir.Generator.Tests.Twins.Output;

// ---- one static class per service; one nested class per operation ----

internal static class WeatherOperations
{
    internal static readonly Operation Today = new()
    {
        Name = "Today",
        Verbs = Verbs.Get | Verbs.Post,
        Placement = Placement.Inline,
        ResultKind = ResultKind.Value,
        IsSynchronous = true,
        IgnoresCancellation = true,
        Parameters = [new("city", "string", ParameterSource.Value, false)],
        HasPlainArguments = true,
        Signature = 0x1111111111111111UL,
        CreateCall = static operation => new TodayCall(operation),
    };

    internal static readonly Operation Next = new()
    {
        Name = "Next",
        Verbs = Verbs.Get | Verbs.Post,
        Placement = Placement.Inline,
        ResultKind = ResultKind.Stream,
        Parameters = [new("days", "int", ParameterSource.Value, true)],
        HasPlainArguments = true,
        Signature = 0x2222222222222222UL,
        CreateCall = static operation => new NextCall(operation),
    };

    internal static readonly Operation NextBlocking = new()
    {
        Name = "NextBlocking",
        Verbs = Verbs.Get | Verbs.Post,
        Placement = Placement.Lane, // a blocking producer runs on the lane
        ResultKind = ResultKind.Stream,
        IsSynchronous = true,
        Parameters = [new("days", "int", ParameterSource.Value, true)],
        HasPlainArguments = true,
        Signature = 0x3333333333333333UL,
        CreateCall = static operation => new NextBlockingCall(operation),
    };

    internal static readonly Operation Legacy = new()
    {
        Name = "Legacy",
        Verbs = Verbs.Post,
        Placement = Placement.Lane,
        ResultKind = ResultKind.Text,
        IsSynchronous = true,
        IgnoresCancellation = true,
        Parameters = [new("ms", "int", ParameterSource.Value, false)],
        HasPlainArguments = true,
        Signature = 0x4444444444444444UL,
        CreateCall = static operation => new LegacyCall(operation),
    };

    internal static readonly Operation Total = new()
    {
        Name = "Total",
        Verbs = Verbs.Post,
        ResultKind = ResultKind.Value,
        IsSynchronous = true,
        UsesContext = true,
        Parameters = [new("order", "Order", ParameterSource.Body, false), new("factor", "int", ParameterSource.Value, false)],
        Signature = 0x5555555555555555UL,
        CreateCall = static operation => new TotalCall(operation),
    };

    internal static readonly Operation Forget = new()
    {
        Name = "Forget",
        Verbs = Verbs.Post,
        ResultKind = ResultKind.None,
        IgnoresCancellation = true,
        Parameters =
        [
            new("id", "Guid", ParameterSource.Value, false),
            new("fruit", "Fruit?", ParameterSource.Value, true),
            new("tags", "string[]", ParameterSource.Value, true),
        ],
        Signature = 0x6666666666666666UL,
        CreateCall = static operation => new ForgetCall(operation),
    };

    internal static readonly Operation Warmest = new()
    {
        Name = "Warmest",
        Verbs = Verbs.Post,
        ResultKind = ResultKind.Value,
        Parameters = [new("least", "int", ParameterSource.Value, false), new("readings", "IAsyncEnumerable<Forecast>", ParameterSource.Items, false)],
        HasPlainArguments = true,
        Signature = 0x6767676767676767UL,
        CreateCall = static operation => new WarmestCall(operation),
    };

    internal static readonly Service Service = new()
    {
        Name = "Weather",
        TypeName = "Weir.Generator.Tests.Twins.Weather",
        CreateInstance = static services => new global::Weir.Generator.Tests.Twins.Weather(
            ServiceResolution.Require<global::Weir.Generator.Tests.Twins.IForecastSource>(services, "Weather")),
        IsShared = false,
        NeedsServices = true,
        Operations = [Today, Next, NextBlocking, Legacy, Total, Forget, Warmest],
    };

    internal sealed class TodayCall(Operation operation) : Call<global::Weir.Generator.Tests.Twins.Forecast>(operation)
    {
        internal string City = null!;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("city"))
                {
                    if (reader.Begin(ref seen, 0, "city"))
                    {
                        City = reader.Read(Scalars.String);
                        reader.End(ref seen, 0, optional: false);
                    }
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                reader.Missing("city", Scalars.String.Expected);
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
            var json = writer.Values.BeginJson();
            json.WriteStartObject();
            json.WritePropertyName("city"u8);
            Scalars.String.Write(json, City);
            json.WriteEndObject();
            writer.Values.EndJson();
        }

        protected override void ClearArguments() => City = default!;

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Value = ((global::Weir.Generator.Tests.Twins.Weather)service).Today(City);
            return default;
        }

        protected override void Encode(PayloadWriter output, global::Weir.Generator.Tests.Twins.Forecast value, ResultEncoding encoding)
        {
            ForecastJson.Write(output.BeginJson(), value);
            output.EndJson();
        }

        protected override global::Weir.Generator.Tests.Twins.Forecast Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) =>
            PayloadReader.Read(payload, ForecastJson.Read);
    }

    internal sealed class NextCall(Operation operation) : StreamCall<global::Weir.Generator.Tests.Twins.Forecast>(operation)
    {
        internal int Days;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("days"))
                {
                    if (reader.Begin(ref seen, 0, "days"))
                    {
                        Days = reader.Read(Scalars.Int32);
                        reader.End(ref seen, 0, optional: true);
                    }
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                Days = 100;
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
            var json = writer.Values.BeginJson();
            json.WriteStartObject();
            json.WritePropertyName("days"u8);
            Scalars.Int32.Write(json, Days);
            json.WriteEndObject();
            writer.Values.EndJson();
        }

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Yield(((global::Weir.Generator.Tests.Twins.Weather)service).Next(Days, cancellationToken), cancellationToken);
            return default;
        }

        public override void WriteItem(PayloadWriter output, global::Weir.Generator.Tests.Twins.Forecast item)
        {
            ForecastJson.Write(output.BeginJson(), item);
            output.EndJson();
        }

        public override global::Weir.Generator.Tests.Twins.Forecast ReadItem(ReadOnlySpan<byte> item) => PayloadReader.Read(item, ForecastJson.Read);
    }

    internal sealed class NextBlockingCall(Operation operation) : StreamCall<global::Weir.Generator.Tests.Twins.Forecast>(operation)
    {
        internal int Days;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("days"))
                {
                    if (reader.Begin(ref seen, 0, "days"))
                    {
                        Days = reader.Read(Scalars.Int32);
                        reader.End(ref seen, 0, optional: true);
                    }
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                Days = 100;
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
            var json = writer.Values.BeginJson();
            json.WriteStartObject();
            json.WritePropertyName("days"u8);
            Scalars.Int32.Write(json, Days);
            json.WriteEndObject();
            writer.Values.EndJson();
        }

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Yield(((global::Weir.Generator.Tests.Twins.Weather)service).NextBlocking(Days));
            return default;
        }

        public override void WriteItem(PayloadWriter output, global::Weir.Generator.Tests.Twins.Forecast item)
        {
            ForecastJson.Write(output.BeginJson(), item);
            output.EndJson();
        }

        public override global::Weir.Generator.Tests.Twins.Forecast ReadItem(ReadOnlySpan<byte> item) => PayloadReader.Read(item, ForecastJson.Read);
    }

    internal sealed class LegacyCall(Operation operation) : Call<string>(operation)
    {
        internal int Ms;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("ms"))
                {
                    if (reader.Begin(ref seen, 0, "ms"))
                    {
                        Ms = reader.Read(Scalars.Int32);
                        reader.End(ref seen, 0, optional: false);
                    }
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                reader.Missing("ms", Scalars.Int32.Expected);
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
            var json = writer.Values.BeginJson();
            json.WriteStartObject();
            json.WritePropertyName("ms"u8);
            Scalars.Int32.Write(json, Ms);
            json.WriteEndObject();
            writer.Values.EndJson();
        }

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Value = ((global::Weir.Generator.Tests.Twins.Weather)service).Legacy(Ms);
            return default;
        }

        // Text and bytes have a raw form besides JSON.
        protected override void Encode(PayloadWriter output, string value, ResultEncoding encoding) => PayloadReader.WriteText(output, value, encoding);

        protected override string Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.ReadText(payload, encoding)!;
    }

    internal sealed class TotalCall(Operation operation) : Call<int>(operation)
    {
        internal global::Weir.Generator.Tests.Twins.Order Order = null!;
        internal int Factor;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("order"))
                {
                    if (reader.Begin(ref seen, 0, "order"))
                    {
                        Order = reader.ReadJson(OrderJson.Read);
                        reader.End(ref seen, 0, optional: false);
                    }
                }
                else if (reader.Is("factor"))
                {
                    if (reader.Begin(ref seen, 1, "factor"))
                    {
                        Factor = reader.Read(Scalars.Int32);
                        reader.End(ref seen, 1, optional: false);
                    }
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                reader.Missing("order", "a JSON object");
            }

            if ((seen & 2UL) == 0)
            {
                reader.Missing("factor", Scalars.Int32.Expected);
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
            var json = writer.Values.BeginJson();
            json.WriteStartObject();
            json.WritePropertyName("order"u8);
            OrderJson.Write(json, Order);
            json.WritePropertyName("factor"u8);
            Scalars.Int32.Write(json, Factor);
            json.WriteEndObject();
            writer.Values.EndJson();
        }

        protected override void ClearArguments() => Order = default!;

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Value = ((global::Weir.Generator.Tests.Twins.Weather)service).Total(
                Order,
                Factor,
                ServiceResolution.Require<global::Weir.Generator.Tests.Twins.IForecastSource>(Context!.Services, "Weather/Total"),
                Context!);
            return default;
        }

        protected override void Encode(PayloadWriter output, int value, ResultEncoding encoding)
        {
            Scalars.Int32.Write(output.BeginJson(), value);
            output.EndJson();
        }

        protected override int Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.Read(payload, Scalars.Int32);
    }

    internal sealed class ForgetCall(Operation operation) : VoidCall(operation)
    {
        internal Guid Id;
        internal global::Weir.Generator.Tests.Twins.Fruit? Fruit;
        internal string[] Tags = [];

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            List<string>? tags = null;
            while (reader.MoveNext())
            {
                if (reader.Is("id"))
                {
                    if (reader.Begin(ref seen, 0, "id"))
                    {
                        Id = reader.Read(Scalars.Guid);
                        reader.End(ref seen, 0, optional: false);
                    }
                }
                else if (reader.Is("fruit"))
                {
                    if (reader.Begin(ref seen, 1, "fruit"))
                    {
                        Fruit = reader.ReadNullable(FruitScalar.Instance);
                        reader.End(ref seen, 1, optional: true);
                    }
                }
                else if (reader.Is("tags"))
                {
                    if (reader.Begin(ref seen, 2, "tags", repeatable: true))
                    {
                        reader.ReadElements(ref tags, Scalars.String);
                        reader.End(ref seen, 2, optional: true);
                    }
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                reader.Missing("id", Scalars.Guid.Expected);
            }

            if ((seen & 2UL) == 0)
            {
                Fruit = null;
            }

            if ((seen & 4UL) == 0)
            {
                reader.MissingList("tags", "a JSON array");
            }

            Tags = (seen & 4UL) == 0 ? [] : (tags?.ToArray())!;
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
            var json = writer.Values.BeginJson();
            json.WriteStartObject();
            json.WritePropertyName("id"u8);
            Scalars.Guid.Write(json, Id);
            json.WritePropertyName("fruit"u8);
            if (Fruit is { } fruit)
            {
                FruitScalar.Instance.Write(json, fruit);
            }
            else
            {
                json.WriteNullValue();
            }

            json.WritePropertyName("tags"u8);
            json.WriteStartArray();
            foreach (var tag in Tags)
            {
                Scalars.String.Write(json, tag);
            }

            json.WriteEndArray();
            json.WriteEndObject();
            writer.Values.EndJson();
        }

        protected override void ClearArguments() => Tags = default!;

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) =>
            ((global::Weir.Generator.Tests.Twins.Weather)service).Forget(Id, Fruit, Tags);
    }

    internal sealed class WarmestCall(Operation operation) : Call<int>(operation)
    {
        internal int Least;
        internal IAsyncEnumerable<global::Weir.Generator.Tests.Twins.Forecast> Readings = null!;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("least"))
                {
                    if (reader.Begin(ref seen, 0, "least"))
                    {
                        Least = reader.Read(Scalars.Int32);
                        reader.End(ref seen, 0, optional: false);
                    }
                }
                else if (reader.Is("readings"))
                {
                    reader.RefuseItems("readings");
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                reader.Missing("least", Scalars.Int32.Expected);
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
            var json = writer.Values.BeginJson();
            json.WriteStartObject();
            json.WritePropertyName("least"u8);
            Scalars.Int32.Write(json, Least);
            json.WriteEndObject();
            writer.Values.EndJson();
        }

        protected override void ClearArguments() => Readings = default!;

        // Items arrive while the method runs, or are sent while it runs elsewhere.
        public override void TakeItems(ItemReader items) => Readings = ItemsCodec.Instance.Receive(items, "readings");

        public override ItemSource OpenItems(CancellationToken cancellationToken) => ItemsCodec.Instance.Send(Readings, cancellationToken);

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) =>
            Await(((global::Weir.Generator.Tests.Twins.Weather)service).Warmest(Least, Items(Readings, cancellationToken), cancellationToken));

        protected override void Encode(PayloadWriter output, int value, ResultEncoding encoding)
        {
            Scalars.Int32.Write(output.BeginJson(), value);
            output.EndJson();
        }

        protected override int Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.Read(payload, Scalars.Int32);

        private sealed class ItemsCodec : ItemCodec<global::Weir.Generator.Tests.Twins.Forecast>
        {
            internal static readonly ItemsCodec Instance = new();

            public override void Write(PayloadWriter output, global::Weir.Generator.Tests.Twins.Forecast item)
            {
                ForecastJson.Write(output.BeginJson(), item);
                output.EndJson();
            }

            protected override global::Weir.Generator.Tests.Twins.Forecast Read(ref Utf8JsonReader reader, FaultList faults) => ForecastJson.Read(ref reader, faults);
        }
    }
}

internal static class HasherOperations
{
    internal static readonly Operation Hash = new()
    {
        Name = "Hash",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "hashing",
        ResultKind = ResultKind.Text,
        Parameters = [new("data", "ReadOnlyMemory<byte>", ParameterSource.Raw, false)],
        HasPlainArguments = true,
        Signature = 0x7777777777777777UL,
        CreateCall = static operation => new HashCall(operation),
    };

    internal static readonly Operation Blocks = new()
    {
        Name = "Blocks",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "hashing",
        ResultKind = ResultKind.Stream,
        Parameters = [new("n", "int", ParameterSource.Value, false)],
        HasPlainArguments = true,
        Signature = 0x8888888888888888UL,
        CreateCall = static operation => new BlocksCall(operation),
    };

    internal static readonly Operation Sizes = new()
    {
        Name = "Sizes",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "hashing",
        ResultKind = ResultKind.Stream,
        Parameters = [new("parts", "IAsyncEnumerable<byte[]?>", ParameterSource.Items, false)],
        HasPlainArguments = true,
        Signature = 0x9999999999999999UL,
        CreateCall = static operation => new SizesCall(operation),
    };

    internal static readonly Service Service = new()
    {
        Name = "Hasher",
        TypeName = "Weir.Generator.Tests.Twins.Hasher",
        CreateInstance = static services => new global::Weir.Generator.Tests.Twins.Hasher(),
        IsShared = true, // neither constructor parameters nor instance fields
        Operations = [Hash, Blocks, Sizes],
    };

    internal sealed class HashCall(Operation operation) : Call<string>(operation)
    {
        internal ReadOnlyMemory<byte> Data;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("data"))
                {
                    if (reader.Begin(ref seen, 0, "data"))
                    {
                        Data = reader.ReadBytes();
                        reader.End(ref seen, 0, optional: false);
                    }
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                reader.Missing("data", "bytes as the request's body");
            }
        }

        // No values, so no JSON: the frame carries the raw part alone.
        public override void WriteArguments(ArgumentWriter writer) => writer.AddRaw(0, Data);

        protected override void ClearArguments() => Data = default!;

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) =>
            Await(((global::Weir.Generator.Tests.Twins.Hasher)service).Hash(Data, cancellationToken));

        protected override void Encode(PayloadWriter output, string value, ResultEncoding encoding) => PayloadReader.WriteText(output, value, encoding);

        protected override string Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.ReadText(payload, encoding)!;
    }

    internal sealed class BlocksCall(Operation operation) : StreamCall<int>(operation)
    {
        internal int N;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("n"))
                {
                    if (reader.Begin(ref seen, 0, "n"))
                    {
                        N = reader.Read(Scalars.Int32);
                        reader.End(ref seen, 0, optional: false);
                    }
                }
                else
                {
                    reader.SkipUnknown();
                }
            }

            if ((seen & 1UL) == 0)
            {
                reader.Missing("n", Scalars.Int32.Expected);
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
            var json = writer.Values.BeginJson();
            json.WriteStartObject();
            json.WritePropertyName("n"u8);
            Scalars.Int32.Write(json, N);
            json.WriteEndObject();
            writer.Values.EndJson();
        }

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Yield(((global::Weir.Generator.Tests.Twins.Hasher)service).Blocks(N, cancellationToken), cancellationToken);
            return default;
        }

        public override void WriteItem(PayloadWriter output, int item)
        {
            Scalars.Int32.Write(output.BeginJson(), item);
            output.EndJson();
        }

        public override int ReadItem(ReadOnlySpan<byte> item) => PayloadReader.Read(item, Scalars.Int32);
    }

    internal sealed class SizesCall(Operation operation) : StreamCall<int>(operation)
    {
        internal IAsyncEnumerable<byte[]?> Parts = null!;

        public override void Bind(ArgumentReader reader)
        {
            while (reader.MoveNext())
            {
                if (reader.Is("parts"))
                {
                    reader.RefuseItems("parts");
                }
                else
                {
                    reader.SkipUnknown();
                }
            }
        }

        public override void WriteArguments(ArgumentWriter writer)
        {
        }

        public override void TakeItems(ItemReader items) => Parts = ItemsCodec.Instance.Receive(items, "parts");

        public override ItemSource OpenItems(CancellationToken cancellationToken) => ItemsCodec.Instance.Send(Parts, cancellationToken);

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Yield(((global::Weir.Generator.Tests.Twins.Hasher)service).Sizes(Items(Parts, cancellationToken), cancellationToken), cancellationToken);
            return default;
        }

        public override void WriteItem(PayloadWriter output, int item)
        {
            Scalars.Int32.Write(output.BeginJson(), item);
            output.EndJson();
        }

        public override int ReadItem(ReadOnlySpan<byte> item) => PayloadReader.Read(item, Scalars.Int32);

        // Bytes travel raw; null has no raw form.
        private sealed class ItemsCodec : ItemCodec<byte[]?>
        {
            internal static readonly ItemsCodec Instance = new();

            public override ResultEncoding EncodingOf(byte[]? item) => item is null ? ResultEncoding.Json : ResultEncoding.Raw;

            public override void Write(PayloadWriter output, byte[]? item) => PayloadReader.WriteBytes(output, item, item is null, EncodingOf(item));

            protected override byte[]? Read(ref Utf8JsonReader reader, FaultList faults) => JsonValues.ReadOrNull(ref reader, faults, Scalars.Bytes);

            protected override byte[]? ReadRaw(ReadOnlySpan<byte> item, FaultList faults) => item.ToArray();
        }
    }
}

// ---- the proxies ----

/// <summary>Calls Weather from code; always asynchronous.</summary>
public interface IWeatherClient
{
    ValueTask<global::Weir.Generator.Tests.Twins.Forecast> Today(string city, CancellationToken ct = default);

    IAsyncEnumerable<global::Weir.Generator.Tests.Twins.Forecast> Next(int days = 100, CancellationToken ct = default);

    IAsyncEnumerable<global::Weir.Generator.Tests.Twins.Forecast> NextBlocking(int days = 100, CancellationToken ct = default);

    ValueTask<string> Legacy(int ms, CancellationToken ct = default);

    ValueTask<int> Total(global::Weir.Generator.Tests.Twins.Order order, int factor, CancellationToken ct = default);

    ValueTask Forget(Guid id, global::Weir.Generator.Tests.Twins.Fruit? fruit, string[] tags, CancellationToken ct = default);

    ValueTask<int> Warmest(int least, IAsyncEnumerable<global::Weir.Generator.Tests.Twins.Forecast> readings, CancellationToken ct = default);
}

internal sealed class WeatherClient : IWeatherClient, IProxy
{
    private readonly CallInvoker _invoker;

    internal WeatherClient(CallInvoker invoker) => _invoker = invoker;

    CallInvoker IProxy.Invoker => _invoker;

    object IProxy.Over(CallInvoker invoker) => new WeatherClient(invoker);

    // Calls are rented: a call that ended well is used again.
    public ValueTask<global::Weir.Generator.Tests.Twins.Forecast> Today(string city, CancellationToken ct = default)
    {
        var call = (WeatherOperations.TodayCall)WeatherOperations.Today.RentCall();
        call.City = city;
        return _invoker.InvokeAsync(call, ct);
    }

    // Calls of streams are not: their items refer to them.
    public IAsyncEnumerable<global::Weir.Generator.Tests.Twins.Forecast> Next(int days = 100, CancellationToken ct = default)
    {
        var call = new WeatherOperations.NextCall(WeatherOperations.Next);
        call.Days = days;
        return _invoker.StreamAsync(call, ct);
    }

    public IAsyncEnumerable<global::Weir.Generator.Tests.Twins.Forecast> NextBlocking(int days = 100, CancellationToken ct = default)
    {
        var call = new WeatherOperations.NextBlockingCall(WeatherOperations.NextBlocking);
        call.Days = days;
        return _invoker.StreamAsync(call, ct);
    }

    public ValueTask<string> Legacy(int ms, CancellationToken ct = default)
    {
        var call = (WeatherOperations.LegacyCall)WeatherOperations.Legacy.RentCall();
        call.Ms = ms;
        return _invoker.InvokeAsync(call, ct);
    }

    public ValueTask<int> Total(global::Weir.Generator.Tests.Twins.Order order, int factor, CancellationToken ct = default)
    {
        var call = (WeatherOperations.TotalCall)WeatherOperations.Total.RentCall();
        call.Order = order;
        call.Factor = factor;
        return _invoker.InvokeAsync(call, ct);
    }

    public ValueTask Forget(Guid id, global::Weir.Generator.Tests.Twins.Fruit? fruit, string[] tags, CancellationToken ct = default)
    {
        var call = (WeatherOperations.ForgetCall)WeatherOperations.Forget.RentCall();
        call.Id = id;
        call.Fruit = fruit;
        call.Tags = tags ?? [];
        return _invoker.InvokeAsync(call, ct);
    }

    public ValueTask<int> Warmest(int least, IAsyncEnumerable<global::Weir.Generator.Tests.Twins.Forecast> readings, CancellationToken ct = default)
    {
        var call = (WeatherOperations.WarmestCall)WeatherOperations.Warmest.RentCall();
        call.Least = least;
        call.Readings = readings;
        return _invoker.InvokeAsync(call, ct);
    }
}

internal sealed class HasherProxy : global::Weir.Generator.Tests.Twins.IHasher, IProxy
{
    private readonly CallInvoker _invoker;

    internal HasherProxy(CallInvoker invoker) => _invoker = invoker;

    CallInvoker IProxy.Invoker => _invoker;

    object IProxy.Over(CallInvoker invoker) => new HasherProxy(invoker);

    public ValueTask<string> Hash(ReadOnlyMemory<byte> data, CancellationToken ct = default)
    {
        var call = (HasherOperations.HashCall)HasherOperations.Hash.RentCall();
        call.Data = data;
        return _invoker.InvokeAsync(call, ct);
    }

    public IAsyncEnumerable<int> Blocks(int n, CancellationToken ct = default)
    {
        var call = new HasherOperations.BlocksCall(HasherOperations.Blocks);
        call.N = n;
        return _invoker.StreamAsync(call, ct);
    }

    public IAsyncEnumerable<int> Sizes(IAsyncEnumerable<byte[]?> parts, CancellationToken ct = default)
    {
        var call = new HasherOperations.SizesCall(HasherOperations.Sizes);
        call.Parts = parts;
        return _invoker.StreamAsync(call, ct);
    }
}

// ---- the types services exchange: one class each ----

internal sealed class FruitScalar : EnumScalar<global::Weir.Generator.Tests.Twins.Fruit>
{
    internal static readonly FruitScalar Instance = new();

    public override string Expected => "Apple, Orange or Grape";

    protected override bool TryGetBits(ReadOnlySpan<char> name, out long bits)
    {
        if (name.Equals("Apple", StringComparison.OrdinalIgnoreCase))
        {
            bits = 1L;
            return true;
        }

        if (name.Equals("Orange", StringComparison.OrdinalIgnoreCase))
        {
            bits = 2L;
            return true;
        }

        if (name.Equals("Grape", StringComparison.OrdinalIgnoreCase))
        {
            bits = 4L;
            return true;
        }

        bits = 0;
        return false;
    }

    protected override string? GetName(long bits) => bits switch
    {
        1L => "Apple",
        2L => "Orange",
        4L => "Grape",
        _ => null,
    };

    protected override global::Weir.Generator.Tests.Twins.Fruit FromBits(long bits) => unchecked((global::Weir.Generator.Tests.Twins.Fruit)bits);

    protected override long ToBits(global::Weir.Generator.Tests.Twins.Fruit value) => unchecked((long)value);
}

internal static class ForecastJson
{
    internal static global::Weir.Generator.Tests.Twins.Forecast Read(ref Utf8JsonReader reader, FaultList faults)
    {
        if (!JsonValues.BeginObject(ref reader, faults))
        {
            return null!;
        }

        var before = faults.Count;
        var seen = 0UL;
        var date = default(DateOnly);
        var temperatureC = default(int);
        var summary = default(string);
        while (JsonValues.NextMember(ref reader))
        {
            if (JsonValues.NameIs(ref reader, "date"u8))
            {
                if (JsonValues.BeginMember(ref reader, faults, ref seen, 0, "date"))
                {
                    date = JsonValues.Read(ref reader, faults, Scalars.DateOnly);
                    faults.Leave();
                }
            }
            else if (JsonValues.NameIs(ref reader, "temperatureC"u8))
            {
                if (JsonValues.BeginMember(ref reader, faults, ref seen, 1, "temperatureC"))
                {
                    temperatureC = JsonValues.Read(ref reader, faults, Scalars.Int32);
                    faults.Leave();
                }
            }
            else if (JsonValues.NameIs(ref reader, "summary"u8))
            {
                if (JsonValues.BeginMember(ref reader, faults, ref seen, 2, "summary"))
                {
                    summary = JsonValues.ReadOrNull(ref reader, faults, Scalars.String);
                    faults.Leave();
                }
            }
            else
            {
                JsonValues.SkipUnknownMember(ref reader, faults);
            }
        }

        if ((seen & 1UL) == 0)
        {
            faults.Add("date", FaultReason.Missing, Scalars.DateOnly.Expected);
        }

        if ((seen & 2UL) == 0)
        {
            faults.Add("temperatureC", FaultReason.Missing, Scalars.Int32.Expected);
        }

        if ((seen & 4UL) == 0)
        {
            summary = null;
        }

        return faults.Count > before ? null! : new global::Weir.Generator.Tests.Twins.Forecast(date, temperatureC, summary);
    }

    internal static void Write(Utf8JsonWriter writer, global::Weir.Generator.Tests.Twins.Forecast value)
    {
        writer.WriteStartObject();
        writer.WritePropertyName("date"u8);
        Scalars.DateOnly.Write(writer, value.Date);
        writer.WritePropertyName("temperatureC"u8);
        Scalars.Int32.Write(writer, value.TemperatureC);
        writer.WritePropertyName("summary"u8);
        if (value.Summary is { } summary)
        {
            Scalars.String.Write(writer, summary);
        }
        else
        {
            writer.WriteNullValue();
        }

        writer.WriteEndObject();
    }
}

internal static class OrderJson
{
    internal static global::Weir.Generator.Tests.Twins.Order Read(ref Utf8JsonReader reader, FaultList faults)
    {
        if (!JsonValues.BeginObject(ref reader, faults))
        {
            return null!;
        }

        var before = faults.Count;
        var seen = 0UL;
        var fruit = default(global::Weir.Generator.Tests.Twins.Fruit);
        var amounts = default(int[])!;
        var forecasts = default(List<global::Weir.Generator.Tests.Twins.Forecast>)!;
        var price = default(double?);
        while (JsonValues.NextMember(ref reader))
        {
            if (JsonValues.NameIs(ref reader, "fruit"u8))
            {
                if (JsonValues.BeginMember(ref reader, faults, ref seen, 0, "fruit"))
                {
                    fruit = JsonValues.Read(ref reader, faults, FruitScalar.Instance);
                    faults.Leave();
                }
            }
            else if (JsonValues.NameIs(ref reader, "amounts"u8))
            {
                if (JsonValues.BeginMember(ref reader, faults, ref seen, 1, "amounts"))
                {
                    amounts = JsonValues.ReadList(ref reader, faults, Scalars.Int32).ToArray();
                    faults.Leave();
                }
            }
            else if (JsonValues.NameIs(ref reader, "forecasts"u8))
            {
                if (JsonValues.BeginMember(ref reader, faults, ref seen, 2, "forecasts"))
                {
                    forecasts = JsonValues.ReadList(ref reader, faults, ForecastJson.Read);
                    faults.Leave();
                }
            }
            else if (JsonValues.NameIs(ref reader, "price"u8))
            {
                if (JsonValues.BeginMember(ref reader, faults, ref seen, 3, "price"))
                {
                    price = JsonValues.ReadNullable(ref reader, faults, Scalars.Double);
                    faults.Leave();
                }
            }
            else
            {
                JsonValues.SkipUnknownMember(ref reader, faults);
            }
        }

        if ((seen & 1UL) == 0)
        {
            faults.Add("fruit", FaultReason.Missing, FruitScalar.Instance.Expected);
        }

        if ((seen & 2UL) == 0)
        {
            faults.Add("amounts", FaultReason.Missing, "a JSON array");
        }

        if ((seen & 4UL) == 0)
        {
            faults.Add("forecasts", FaultReason.Missing, "a JSON array");
        }

        if ((seen & 8UL) == 0)
        {
            price = null;
        }

        return faults.Count > before ? null! : new global::Weir.Generator.Tests.Twins.Order(fruit, amounts, forecasts, price);
    }

    internal static void Write(Utf8JsonWriter writer, global::Weir.Generator.Tests.Twins.Order value)
    {
        writer.WriteStartObject();
        writer.WritePropertyName("fruit"u8);
        FruitScalar.Instance.Write(writer, value.Fruit);
        writer.WritePropertyName("amounts"u8);
        writer.WriteStartArray();
        foreach (var item in value.Amounts)
        {
            Scalars.Int32.Write(writer, item);
        }

        writer.WriteEndArray();
        writer.WritePropertyName("forecasts"u8);
        writer.WriteStartArray();
        foreach (var item in value.Forecasts)
        {
            ForecastJson.Write(writer, item);
        }

        writer.WriteEndArray();
        writer.WritePropertyName("price"u8);
        if (value.Price is { } price)
        {
            Scalars.Double.Write(writer, price);
        }
        else
        {
            writer.WriteNullValue();
        }

        writer.WriteEndObject();
    }
}

// ---- the catalog: public, one per assembly with services, named by [assembly: WeirCatalog(typeof(...))] ----

/// <summary>The services of this assembly.</summary>
public sealed class Catalog : ServiceCatalog
{
    /// <summary>The one instance.</summary>
    public static Catalog Instance { get; } = new();

    public override string AssemblyName => "Weir.Generator.Tests";

    public override Guid Identity => typeof(Catalog).Module.ModuleVersionId;

    public override IReadOnlyList<Service> Services { get; } = [WeatherOperations.Service, HasherOperations.Service];

    public override IReadOnlyList<Proxy> Proxies { get; } =
    [
        new(typeof(IWeatherClient), static invoker => new WeatherClient(invoker)),
        new(typeof(global::Weir.Generator.Tests.Twins.IHasher), static invoker => new HasherProxy(invoker)),
    ];

    // Where the assembly has a [WorkerServices] method:
    // public override IServiceProvider? CreateWorkerServices(object startup) => global::X.Create((global::Weir.WorkerStartup)startup);
}

// ---- in an application: a known type name for workers (namespace Weir.Generated), and AddWeir ----

internal static class ApplicationCatalog
{
    /// <summary>The application's simple assembly name: a worker loads it and finds this type.</summary>
    internal const string AssemblyName = "Weir.Generator.Tests";

    /// <summary>The catalogs of the application and of everything it references.</summary>
    public static IReadOnlyList<ServiceCatalog> Catalogs { get; } = [Catalog.Instance];
}

// namespace Microsoft.Extensions.DependencyInjection
// [Embedded] internal static class WeirServiceCollectionExtensions
// {
//     internal static IServiceCollection AddWeir(this IServiceCollection services, Action<WeirOptions>? configure = null)
//     {
//         services.AddWeirCatalogs(ApplicationCatalog.AssemblyName, ApplicationCatalog.Catalogs, configure);   // Weir.Execution
//         services.AddWeirServer();   // only where Weir.Server is referenced
//         return services;
//     }
// }
