using System.ComponentModel;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Weir.Runtime;

/// <summary>
/// Reads and writes values by <c>System.Text.Json</c>, with options that agree with generated code. Immutable; may be used concurrently.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class JsonValueSerializer
{
    private readonly Lazy<JsonSerializerOptions> _options;

    // Made at the first number that JSON cannot hold.
    private readonly Lazy<JsonSerializerOptions> _named;

    private JsonValueSerializer(Func<JsonSerializerOptions> create)
    {
        _options = new Lazy<JsonSerializerOptions>(create);
        _named = new Lazy<JsonSerializerOptions>(() => SerializerRules.WithNamedNumbers(Options));
    }

    /// <summary>The settings of the application that generated code does not have: empty in most applications.</summary>
    public IReadOnlyList<string> ChangedSettings { get; private init; } = [];

    /// <summary>The application's own converters, without those that only say what is done anyway.</summary>
    private IReadOnlyList<JsonConverter> Converters { get; init; } = [];

    /// <summary>Whether all values are read and written by it, also those of generated code.</summary>
    public bool ReplacesGeneratedCode => ChangedSettings.Count > 0;

    /// <summary>The options, read-only.</summary>
    public JsonSerializerOptions Options => _options.Value;

    /// <summary>The serializer for what comes from callers and is sent to them.</summary>
    /// <param name="catalogs">What the assemblies of the application add; called once, at the first value.</param>
    /// <param name="application">The application's own options.</param>
    /// <param name="plain">The same options as they are where an application changes nothing.</param>
    /// <param name="refuseUnknown">Whether a member that no property takes is a binding error.</param>
    public static JsonValueSerializer ForCallers(Func<IReadOnlyList<CatalogJson>> catalogs, JsonSerializerOptions application, JsonSerializerOptions plain, bool refuseUnknown)
    {
        ArgumentNullException.ThrowIfNull(catalogs);
        ArgumentNullException.ThrowIfNull(application);
        ArgumentNullException.ThrowIfNull(plain);
        return new JsonValueSerializer(() => SerializerRules.ForCallers(catalogs(), application, plain, refuseUnknown))
        {
            ChangedSettings = SerializerSettings.Changed(application, plain),
            Converters = [.. application.Converters.Where(static converter => !SerializerSettings.IsSaidAnyway(converter))],
        };
    }

    /// <summary>The serializer for what is sent between host and worker: every null passes. Its options are made at the first value.</summary>
    /// <param name="catalog">What the assembly of the operations says.</param>
    public static JsonValueSerializer ForWorkers(Func<CatalogJson> catalog)
    {
        ArgumentNullException.ThrowIfNull(catalog);
        return new JsonValueSerializer(() => SerializerRules.ForWorkers(catalog()));
    }

    /// <summary>Whether a converter of the application reads and writes a type.</summary>
    /// <param name="type">Without its nullability.</param>
    public bool IsConverted(Type type) => Converters.Any(one => one.CanConvert(type));

    /// <summary>How documents are read whose values it reads.</summary>
    internal JsonReaderOptions ReaderOptions => new()
    {
        AllowTrailingCommas = Options.AllowTrailingCommas,
        CommentHandling = Options.ReadCommentHandling,
        MaxDepth = Options.MaxDepth,
    };

    /// <summary>How values are written: the writer decides that, not the serializer's options.</summary>
    /// <param name="indents">Whether line breaks mean nothing where they are written.</param>
    internal JsonWriterOptions WriterOptions(bool indents) => new()
    {
        Encoder = Options.Encoder,
        Indented = indents && Options.WriteIndented,
        IndentCharacter = Options.IndentCharacter,
        IndentSize = Options.IndentSize,
        NewLine = Options.NewLine,
        MaxDepth = Options.MaxDepth,
    };

    /// <summary>Reads one value; adds a binding error and returns the type's default when it does not read.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="reader">Positioned on the value's first token, and afterwards on its last.</param>
    /// <param name="errors">Receives the binding errors.</param>
    /// <exception cref="JsonException">The value is not JSON.</exception>
    public T Read<T>(ref Utf8JsonReader reader, BindingErrorList errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        var start = reader;
        try
        {
            return JsonSerializer.Deserialize(ref reader, TypeInfo<T>())!;
        }
        catch (JsonException error) when (error.InnerException is UnknownEnumValueException unknown)
        {
            SerializerPath.Enter(errors, error.Path);
            throw new UnknownEnumValueException(unknown.TypeName, unknown.Name, errors.Place);
        }
        catch (JsonException error)
        {
            if (errors.AcceptsNull && TryReadNamed<T>(start, out var end, out var value))
            {
                reader = end;
                return value;
            }

            reader.Skip(); // Throws where the value is not JSON at all: that is another error.
            SerializerErrors.Add(errors, error);
            return default!;
        }
        catch (NotSupportedException error) when (SerializerErrors.IsWithoutDiscriminator(error))
        {
            reader = start;
            reader.Skip();
            SerializerErrors.AddDiscriminator(errors, error);
            return default!;
        }
    }

    /// <summary>Writes one value.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="writer">Where a value may stand.</param>
    /// <param name="value">The value.</param>
    public void Write<T>(Utf8JsonWriter writer, T value)
    {
        ArgumentNullException.ThrowIfNull(writer);
        JsonSerializer.Serialize(writer, value, TypeInfo<T>());
    }

    /// <summary>As <see cref="Write"/>, with numbers that JSON cannot hold as text.</summary>
    internal void WriteNamed<T>(Utf8JsonWriter writer, T value) => JsonSerializer.Serialize(writer, value, (JsonTypeInfo<T>)_named.Value.GetTypeInfo(typeof(T)));

    /// <summary>Checks before the first call that the serializer can read and write types.</summary>
    /// <param name="types">Types of operations.</param>
    /// <param name="where">Where their values go: <c>over HTTP</c>.</param>
    /// <exception cref="InvalidOperationException">It cannot (WEIR3020).</exception>
    public void Require(IReadOnlyList<Type> types, string where)
    {
        ArgumentNullException.ThrowIfNull(types);
        var unknown = types.Where(type => !Knows(type, where)).Select(CodeName).Distinct().ToList();
        if (unknown.Count > 0)
        {
            throw new InvalidOperationException(
                $"{string.Join(", ", unknown)}: System.Text.Json has no metadata to read and write it {where}. Write [assembly: WeirJson(typeof(AppJson))] in the assembly of the operations, "
                + $"and the class '{string.Join(" ", unknown.Select(static name => $"[JsonSerializable(typeof({name}))]"))} internal sealed partial class AppJson : JsonSerializerContext;'. See {WeirCodes.JsonTypeUnknown}.");
        }
    }

    private bool Knows(Type type, string where)
    {
        try
        {
            return Options.TryGetTypeInfo(type, out _);
        }
        catch (Exception error) when (error is NotSupportedException or InvalidOperationException)
        {
            throw new InvalidOperationException($"{CodeName(type)} cannot be read and written {where}: {error.Message} See {WeirCodes.JsonTypeUnknown}.", error);
        }
    }

    // As C# writes it.
    private static string CodeName(Type type)
    {
        if (type.IsArray)
        {
            return CodeName(type.GetElementType()!) + "[]";
        }

        var name = type.FullName is { } full ? full.Split('[')[0].Replace('+', '.') : type.Name;
        if (!type.IsGenericType)
        {
            return name;
        }

        var arguments = type.GetGenericArguments();
        var code = new StringBuilder();
        var next = 0;
        foreach (var part in name.Split('.'))
        {
            var tick = part.IndexOf('`', StringComparison.Ordinal);
            code.Append(code.Length == 0 ? "" : ".").Append(tick < 0 ? part : part[..tick]);
            if (tick >= 0)
            {
                var count = int.Parse(part[(tick + 1)..], CultureInfo.InvariantCulture);
                code.Append('<').AppendJoin(", ", arguments.Skip(next).Take(count).Select(CodeName)).Append('>');
                next += count;
            }
        }

        return code.ToString();
    }

    // Only between host and worker: what a number that JSON cannot hold became.
    private bool TryReadNamed<T>(Utf8JsonReader start, out Utf8JsonReader end, out T value)
    {
        end = start;
        try
        {
            value = JsonSerializer.Deserialize(ref end, (JsonTypeInfo<T>)_named.Value.GetTypeInfo(typeof(T)))!;
            return true;
        }
        catch (JsonException)
        {
            value = default!;
            return false;
        }
    }

    private JsonTypeInfo<T> TypeInfo<T>() => (JsonTypeInfo<T>)Options.GetTypeInfo(typeof(T));
}
