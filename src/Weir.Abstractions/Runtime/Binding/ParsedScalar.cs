using System.ComponentModel;
using System.Globalization;

namespace Weir.Runtime;

/// <summary>The scalars of types that parse their own text. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ParsedScalar
{
    /// <summary>The scalar of a type with a static <c>TryParse</c>.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="parse">How it parses its text; the same for each call.</param>
    /// <param name="isWritten">Whether <c>ToString</c> writes what it parses: it is the type's own, or the type is <see cref="IFormattable"/>.</param>
    public static Scalar<T> Of<T>(TextParser<T> parse, bool isWritten = true) => ParsedScalar<T>.Of(parse, isWritten);

    /// <summary>The scalar of a type that implements <see cref="IParsable{TSelf}"/>.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="isWritten">Whether <c>ToString</c> writes what it parses: it is the type's own, or the type is <see cref="IFormattable"/>.</param>
    public static Scalar<T> OfParsable<T>(bool isWritten = true)
        where T : IParsable<T> => ParsedScalar<T>.Of(static (string text, out T value) => T.TryParse(text, CultureInfo.InvariantCulture, out value!), isWritten);
}
