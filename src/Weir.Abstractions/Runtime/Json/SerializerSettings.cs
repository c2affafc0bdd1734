using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Weir.Runtime;

/// <summary>The settings of an application's JSON options that generated code does not have.</summary>
internal static class SerializerSettings
{
    private enum Probe
    {
        OfNames,
        Second,
    }

    /// <summary>The names of those that the application has changed; empty in most applications.</summary>
    /// <param name="application">The application's options.</param>
    /// <param name="plain">The same options where an application changes nothing.</param>
    internal static IReadOnlyList<string> Changed(JsonSerializerOptions application, JsonSerializerOptions plain)
    {
        var changed = new List<string>();
        Add(nameof(plain.PropertyNamingPolicy), application.PropertyNamingPolicy != plain.PropertyNamingPolicy);
        Add(nameof(plain.Converters), application.Converters.Any(static converter => !IsSaidAnyway(converter)));
        Add(nameof(plain.TypeInfoResolver), application.TypeInfoResolverChain.Any(resolver => ChangesTypes(resolver, plain)));
        Add(nameof(plain.DefaultIgnoreCondition), application.DefaultIgnoreCondition != plain.DefaultIgnoreCondition);
        Add(nameof(plain.NumberHandling), application.NumberHandling != plain.NumberHandling && application.NumberHandling != JsonNumberHandling.Strict);
        Add(nameof(plain.PropertyNameCaseInsensitive), application.PropertyNameCaseInsensitive != plain.PropertyNameCaseInsensitive);
        Add(nameof(plain.IncludeFields), application.IncludeFields != plain.IncludeFields);
        Add(nameof(plain.IgnoreReadOnlyProperties), application.IgnoreReadOnlyProperties != plain.IgnoreReadOnlyProperties);
        Add(nameof(plain.PreferredObjectCreationHandling), application.PreferredObjectCreationHandling != plain.PreferredObjectCreationHandling);
        Add(nameof(plain.ReferenceHandler), application.ReferenceHandler != plain.ReferenceHandler);
        Add(nameof(plain.UnmappedMemberHandling), application.UnmappedMemberHandling != plain.UnmappedMemberHandling);
        Add(nameof(plain.AllowTrailingCommas), application.AllowTrailingCommas != plain.AllowTrailingCommas);
        Add(nameof(plain.ReadCommentHandling), application.ReadCommentHandling != plain.ReadCommentHandling);
        Add(nameof(plain.WriteIndented), application.WriteIndented != plain.WriteIndented);
        Add(nameof(plain.Encoder), application.Encoder != plain.Encoder);
        Add(nameof(plain.MaxDepth), Depth(application) != Depth(plain));
        return changed;

        void Add(string name, bool differs)
        {
            if (differs)
            {
                changed.Add(name);
            }
        }
    }

    /// <summary>The deepest JSON that options read and write.</summary>
    internal static int Depth(JsonSerializerOptions options) => options.MaxDepth == 0 ? PayloadWriter.MaxJsonDepth : options.MaxDepth;

    /// <summary>Whether a converter only says that enums are written as their names and read from names and numbers.</summary>
    internal static bool IsSaidAnyway(JsonConverter converter)
    {
        // Its arguments are private, so it is tried. A native program may not have the code for this enum.
        if (converter.GetType() != typeof(JsonStringEnumConverter) || !RuntimeFeature.IsDynamicCodeSupported)
        {
            return false;
        }

        var options = new JsonSerializerOptions();
        var probe = (JsonConverter<Probe>)((JsonStringEnumConverter)converter).CreateConverter(typeof(Probe), options);
        using var output = new PayloadWriter();
        probe.Write(output.BeginJson(), Probe.OfNames, options);
        output.EndJson();
        return output.WrittenSpan.SequenceEqual("\"OfNames\""u8) && ReadsNumbers(probe, options);
    }

    private static bool ReadsNumbers(JsonConverter<Probe> probe, JsonSerializerOptions options)
    {
        var reader = new Utf8JsonReader("1"u8);
        reader.Read();
        try
        {
            return probe.Read(ref reader, typeof(Probe), options) == Probe.Second;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    // The metadata of a context, and that of reflection, describe types as they are; any other resolver, and a modifier, may change them.
    private static bool ChangesTypes(IJsonTypeInfoResolver resolver, JsonSerializerOptions plain) =>
        resolver is not JsonSerializerContext
        && (resolver is DefaultJsonTypeInfoResolver { Modifiers.Count: > 0 } || plain.TypeInfoResolverChain.All(one => one.GetType() != resolver.GetType()));
}
