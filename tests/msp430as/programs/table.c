/* Jump tables, structures by value, and a function that does not return. */
extern void die(void);
int state;

int step(int input)
{
    switch (input) {
    case 0:
        return 3;
    case 1:
        state += 5;
        return state;
    case 2:
        return 7;
    case 3:
        state = 4;
        return 9;
    case 4:
        return 22;
    case 5:
        return 11;
    default:
        return 0;
    }
}

struct large {
    long parts[12];
};

struct large pass(const struct large *from)
{
    return *from;
}

void stop(void)
{
    die();
    __builtin_unreachable();
}

unsigned scan(const unsigned char *text, unsigned length)
{
    unsigned words = 0, inside = 0;
    for (unsigned i = 0; i < length; i++) {
        if (text[i] == ' ' || text[i] == '{' || text[i] == ';') {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            words++;
        }
    }
    return words;
}

const char message[] = "ret ; reti { .profile_enter \"quoted\" \\";
