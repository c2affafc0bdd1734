using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Microsoft.AspNetCore.Http.Json;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Json;

/// <summary>
/// Generated code and the serializer agree on random documents: what they accept, the value they read, the bytes they write. A
/// difference is one that <c>docs/guide/json.md</c> states.
/// </summary>
public sealed class DifferentialTests
{
    private static readonly Served Served = Served.From(DifferentialTypes.Complete());

    private static readonly Type[] Types = [.. DifferentialTypes.Names.Select(static (_, index) => Served.Create(DifferentialTypes.Operation(index)).GetType().BaseType!.GetGenericArguments()[0])];

    // What generated code refuses and the serializer accepts, each with the section of the guide that states it.
    private static readonly (string Section, Func<BindingError, Reading, bool> Explains)[] Rules =
    [
        ("What the serializer reads and writes: an element of a collection may be null",
            static (error, _) => error.Reason == BindingErrorReason.Null && error.Name.EndsWith(']')),
        ("What the serializer reads and writes: a member whose type is a type parameter may be null",
            static (error, _) => error.Reason == BindingErrorReason.Null && LastName(error) == "key"),
        ("What the serializer reads and writes: null is no bytes for a ReadOnlyMemory<byte>",
            static (error, _) => error is { Reason: BindingErrorReason.Null, Name: "value.b", Expected: "base64" }),
        ("What the serializer reads and writes: no member of a structure need be there",
            static (error, _) => error.Reason == BindingErrorReason.Missing && LastName(error) is "x" or "y" or "key" or "value"),
        ("What the serializer reads and writes: a number too large for its type is infinite",
            static (error, _) => error is { Reason: BindingErrorReason.Invalid, Expected: "a finite number" }),
        ("What the serializer reads and writes: a member that is passed over may come twice",
            static (error, _) => error.Reason == BindingErrorReason.Duplicate && LastName(error) is "f" or "length"),
        ("What the serializer reads and writes: a member marked [JsonIgnore] is known",
            static (error, _) => error.Reason == BindingErrorReason.Unknown && error.Name.Equals("value.A", StringComparison.OrdinalIgnoreCase)),
        ("Settings of the application: between host and worker the serializer judges nothing again",
            static (_, reading) => reading == Reading.Workers),
    ];

    /// <summary>How documents are read: as those of callers, or between host and worker.</summary>
    public enum Reading
    {
        /// <summary>Of callers.</summary>
        Callers,

        /// <summary>Of callers, who may send no member that nothing takes.</summary>
        StrictCallers,

        /// <summary>Between host and worker.</summary>
        Workers,
    }

    [Theory]
    [InlineData(Reading.Callers, 1)]
    [InlineData(Reading.StrictCallers, 2)]
    [InlineData(Reading.Workers, 3)]
    public void Generated_code_and_the_serializer_agree_on_random_documents(Reading reading, int seed) => Compare(reading, seed, documents: 7_000);

    [Theory, Trait("Kind", "Long")]
    [InlineData(Reading.Callers, 11)]
    [InlineData(Reading.StrictCallers, 12)]
    [InlineData(Reading.Workers, 13)]
    public void Generated_code_and_the_serializer_agree_on_a_hundred_thousand_random_documents(Reading reading, int seed) => Compare(reading, seed, documents: 35_000);

    private static void Compare(Reading reading, int seed, int documents)
    {
        var options = Options(reading);
        var random = new Random(seed);
        var made = new RandomDocuments(random, options);
        var differences = new List<string>();
        var (accepted, refused) = (0, 0);
        for (var round = 0; round < documents; round++)
        {
            var index = round % Types.Length;
            var document = made.Make(Types[index], isFlawed: random.Next(2) == 0);

            // A root null is judged by the parameter, and bad UTF-8 is refused before anything is read.
            if (!Utf8.IsValid(document) || document.AsSpan().Trim(" \t\r\n"u8).SequenceEqual("null"u8))
            {
                continue;
            }

            // Between host and worker, a number that JSON cannot hold is text, which the serializer reads at a second try.
            if (reading == Reading.Workers && (document.AsSpan().IndexOf("NaN"u8) >= 0 || document.AsSpan().IndexOf("Infinity"u8) >= 0))
            {
                continue;
            }

            var generated = Generated(index, document, reading);
            var serializer = Serialized(Types[index], document, options);
            _ = serializer.IsAccepted ? accepted++ : refused++;
            if (Difference(index, generated, serializer, reading, options) is { } difference)
            {
                differences.Add($"{DifferentialTypes.Names[index]} {Encoding.UTF8.GetString(document)}\n  {difference}");
            }
        }

        Assert.True(differences.Count == 0, $"{differences.Count} differences in {documents} documents, first:\n{string.Join('\n', differences.DistinctBy(static one => one.Split(' ')[0]).Take(12))}");

        // A test of documents that all fail, or all pass, would compare nothing.
        Assert.InRange(accepted, documents / 3, documents * 4 / 5);
        Assert.InRange(refused, documents / 6, documents * 2 / 3);
    }

    private static string? Difference(int index, Outcome generated, Outcome serializer, Reading reading, JsonSerializerOptions options)
    {
        if (generated.IsAccepted != serializer.IsAccepted)
        {
            var isStated = serializer.IsAccepted && generated.Errors.All(error => Rules.Any(rule => rule.Explains(error, reading)));
            return isStated ? null : $"generated: {generated}; serializer: {serializer}";
        }

        if (!generated.IsAccepted)
        {
            return null;
        }

        var values = (Write(generated.Value, index, options), Write(serializer.Value, index, options));
        var bytes = (Write(generated.Value, index), Write(serializer.Value, index));
        return values.Item1 != values.Item2 ? $"values: {values.Item1} and {values.Item2}"
            : bytes.Item1 != values.Item1 || bytes.Item2 != values.Item1 ? $"bytes: {bytes.Item1} and {values.Item1}"
            : null;
    }

    private static Outcome Generated(int index, byte[] document, Reading reading)
    {
        var call = Served.Create(DifferentialTypes.Operation(index));
        var errors = new BindingErrorList { RefuseUnknown = reading == Reading.StrictCallers, AcceptsNull = reading == Reading.Workers };
        try
        {
            call.Bind(new ArgumentListReader([new Argument("value", ArgumentForm.Json, "body", document)], errors));
        }
        catch (Exception thrown) when (errors.TryAdd(thrown))
        {
            // The value's type refused it.
        }

        return new Outcome(errors.Count == 0 ? call.GetArgument(0) : null, errors.ToArray());
    }

    private static Outcome Serialized(Type type, byte[] document, JsonSerializerOptions options)
    {
        try
        {
            return new Outcome(JsonSerializer.Deserialize(document, type, options), []);
        }
        catch (Exception thrown) when (thrown is JsonException or ArgumentException or FormatException)
        {
            return new Outcome(null, [new BindingError("", "", thrown.GetType().Name, thrown.Message)]);
        }
    }

    private static string LastName(BindingError error) => error.Name.Split('.')[^1];

    private static string Write(object? value, int index, JsonSerializerOptions options) => Encoding.UTF8.GetString(JsonSerializer.SerializeToUtf8Bytes(value, Types[index], options));

    private static string Write(object? value, int index)
    {
        var call = Served.Create(DifferentialTypes.Operation(index));
        call.Result = value;
        return Served.Result(call);
    }

    // As ForCallers makes them for an application without settings, and as workers have them, here with reflection.
    private static JsonSerializerOptions Options(Reading reading)
    {
        var plain = new JsonOptions().SerializerOptions;
        return reading == Reading.Workers
            ? JsonValueSerializer.ForWorkers(static () => new CatalogJson { Resolver = new System.Text.Json.Serialization.Metadata.DefaultJsonTypeInfoResolver(), Converters = Served.Catalog.CreateJson().Converters }).Options
            : JsonValueSerializer.ForCallers(static () => [Served.Catalog.CreateJson()], plain, plain, refuseUnknown: reading == Reading.StrictCallers).Options;
    }

    private sealed record Outcome(object? Value, IReadOnlyList<BindingError> Errors)
    {
        public bool IsAccepted => Errors.Count == 0;

        public override string ToString() => IsAccepted ? "accepted" : string.Join(" | ", Errors);
    }
}
