using System.Text.Json;

namespace Weir.AspNetCore.Options;

/// <summary>The settings of <c>ConfigureHttpJsonOptions</c> that generated code does not follow.</summary>
internal static class JsonPolicies
{
    /// <summary>The names of those that the application has changed; empty in most applications.</summary>
    /// <param name="application">The application's options.</param>
    /// <param name="plain">The same options where an application changes nothing.</param>
    internal static IReadOnlyList<string> NotFollowed(JsonSerializerOptions application, JsonSerializerOptions plain)
    {
        var changed = new List<string>();
        Add(nameof(plain.PropertyNamingPolicy), application.PropertyNamingPolicy != plain.PropertyNamingPolicy);
        Add(nameof(plain.Converters), application.Converters.Count != plain.Converters.Count);
        Add(nameof(plain.DefaultIgnoreCondition), application.DefaultIgnoreCondition != plain.DefaultIgnoreCondition);
        Add(nameof(plain.NumberHandling), application.NumberHandling != plain.NumberHandling);
        Add(nameof(plain.PropertyNameCaseInsensitive), application.PropertyNameCaseInsensitive != plain.PropertyNameCaseInsensitive);
        Add(nameof(plain.IncludeFields), application.IncludeFields != plain.IncludeFields);
        Add(nameof(plain.IgnoreReadOnlyProperties), application.IgnoreReadOnlyProperties != plain.IgnoreReadOnlyProperties);
        Add(nameof(plain.ReferenceHandler), application.ReferenceHandler != plain.ReferenceHandler);
        Add(nameof(plain.UnmappedMemberHandling), application.UnmappedMemberHandling != plain.UnmappedMemberHandling);
        Add(nameof(plain.AllowTrailingCommas), application.AllowTrailingCommas != plain.AllowTrailingCommas);
        Add(nameof(plain.ReadCommentHandling), application.ReadCommentHandling != plain.ReadCommentHandling);
        Add(nameof(plain.WriteIndented), application.WriteIndented != plain.WriteIndented);
        Add(nameof(plain.Encoder), application.Encoder != plain.Encoder);
        Add(nameof(plain.MaxDepth), application.MaxDepth != plain.MaxDepth);
        return changed;

        void Add(string name, bool differs)
        {
            if (differs)
            {
                changed.Add(name);
            }
        }
    }
}
