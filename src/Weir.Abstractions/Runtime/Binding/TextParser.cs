using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Parses a value; all of the text must be it. For generated code.</summary>
/// <typeparam name="T">The value's type.</typeparam>
/// <param name="text">The text.</param>
/// <param name="value">The value, when the text is one.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate bool TextParser<T>(string text, out T value);
