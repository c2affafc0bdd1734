using System.Text.Json;

namespace Weir.Execution.Observation;

/// <summary>What is seen of a part of the application at one moment: a member of the record, and lines of the text. Immutable; any thread.</summary>
internal interface IPartReading
{
    /// <summary>The name of the member.</summary>
    string Name { get; }

    /// <summary>One line for people: how much there is of everything.</summary>
    string Line { get; }

    /// <summary>A table below that line.</summary>
    PartTable Table { get; }

    /// <summary>Writes the member's value, an object.</summary>
    void Write(Utf8JsonWriter json);
}
